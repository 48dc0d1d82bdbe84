import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '@pets/testing/processes';
import type { Engine } from './engine.js';
import { environmentFileIn, openProject, type Project } from './project.js';

const READY_LIMIT_MS = 120_000;
const REQUEST_LIMIT_MS = 5_000;
const PASSWORD = 'a/b:c@d%e';

interface Elsewhere {
  readonly engine: Engine;
  readonly repositoryRoot: string;
  /** A folder for its files. */
  readonly folder: string;
  readonly say: (line: string) => void;
}

/**
 * PostgreSQL and Redis elsewhere (docs/operations/docker-compose.md): the stack starts none of its own, and `migrate`,
 * pets-api and `backup` reach the others, which are outside of its internal network.
 * @throws Error at the first of these that does not hold
 */
export async function checkStoresElsewhere({ engine, repositoryRoot, folder, say }: Elsewhere): Promise<void> {
  say('\nPostgreSQL and Redis elsewhere');
  const passwordFile = join(folder, 'password');
  await writeFile(passwordFile, PASSWORD, { mode: 0o644 });
  const project = await openProject(engine, environmentFileIn(folder), {
    settings: {
      COMPOSE_PROFILES: 'backup',
      DATABASE_URL: `postgres://owner:${encodeURIComponent(PASSWORD)}@elsewhere-postgres:5432/animals?sslmode=disable`,
      POSTGRES_CONTAINERS: '0',
      REDIS_URL: 'redis://elsewhere-redis:6379',
      REDIS_CONTAINERS: '0',
      ELSEWHERE_PASSWORD_FILE: passwordFile,
    },
    alsoFile: join(repositoryRoot, 'tools/compose-check/src/stores-elsewhere.yml'),
  });
  try {
    await checkProject(project, say);
  } catch (error) {
    say(await project.logs().catch(() => 'the services’ logs cannot be had'));
    throw error;
  } finally {
    await project.erase();
  }
}

async function checkProject(project: Project, say: (line: string) => void): Promise<void> {
  await project.up('pets-api', 'backup');
  const url = `http://127.0.0.1:${project.ports.api}/readyz`;
  await waitUntil(async () => (await fetch(url, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) })).ok, {
    timeoutMs: READY_LIMIT_MS,
    intervalMs: 500,
    message: 'the API with a database elsewhere',
  });
  say('   migrated, and the API is ready');
  for (const service of ['postgres', 'redis']) {
    const containers = await project.containersOf(service);
    if (containers.length > 0) throw new Error(`${service} was started although it is elsewhere`);
  }
  say('   the stack has no PostgreSQL and no Redis of its own');
  // One may be under way: the service begins with its first.
  const made = await waitUntil(() => project.exec('backup', ['backup.sh', 'now']), {
    timeoutMs: READY_LIMIT_MS,
    intervalMs: 2_000,
    message: 'a backup of a database elsewhere',
  });
  say(`   ${made.trim()}`);
}
