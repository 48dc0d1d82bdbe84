import type { ScenarioClient } from '@pets/dev-stack';
import { waitUntil } from '@pets/testing/processes';
import type { Project } from './project.js';

const READY_LIMIT_MS = 60_000;
const REQUEST_LIMIT_MS = 5_000;

const internalPaths = ['/internal/edge/session', '/%69nternal/edge/session', '/metrics'] as const;

/**
 * Checks that strangers reach nothing internal: internal routes are at their own port alone, and Redis refuses commands
 * without the password.
 * @throws Error at the first of these that does not hold
 */
export async function checkBoundaries(project: Project, say: (line: string) => void): Promise<void> {
  for (const path of internalPaths) await expectStatus(project.ports.api, path, 404);
  await expectStatus(project.ports.apiInternal, '/internal/edge/session', 401);
  await expectStatus(project.ports.apiInternal, '/metrics', 200);
  say('   /internal and /metrics: 404 at the public port, served at the internal one');
  const reply = (await project.exec('redis', ['redis-cli', 'ping'])).trim();
  if (!reply.startsWith('NOAUTH')) throw new Error(`Redis answers ${reply} to a command without the password`);
  say('   Redis refuses commands without its password');
}

async function expectStatus(port: number, path: string, expected: number): Promise<void> {
  const url = `http://127.0.0.1:${port}${path}`;
  const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) });
  await response.body?.cancel();
  if (response.status !== expected) throw new Error(`GET ${url} answered ${response.status}, not ${expected}`);
}

/** Our processes, and a file of another one's that none of them may see. */
const processes = {
  'pets-api': '/secrets/worker/acme-account-key.pem',
  'domains-worker': '/secrets/api/certificate-keks',
  edge: '/secrets/api/database-url',
} as const satisfies Record<string, string>;

/** Fails at the first line whose promise does not hold, and prints it. */
const script = (foreignSecret: string) => `
  [ "$(id -u)" = 1000 ] || { echo "runs as $(id -un)"; exit 1; }
  [ "$(cat /proc/1/comm)" = tini ] || { echo "process 1 is $(cat /proc/1/comm)"; exit 1; }
  ! touch /app/here 2>/dev/null || { echo "the root file system can be written"; exit 1; }
  grep -q '^CapEff:[[:space:]]*0*$' /proc/1/status || { echo "has capabilities"; exit 1; }
  grep -q '^NoNewPrivs:[[:space:]]*1$' /proc/1/status || { echo "may gain privileges"; exit 1; }
  [ ! -e ${foreignSecret} ] || { echo "sees ${foreignSecret}"; exit 1; }
  [ ! -e /app/node_modules/typescript ] || { echo "holds what only a build needs"; exit 1; }
  ls /app/apps
`;

/**
 * Checks that each of our processes has what docker-compose.yml and the Dockerfile promise: an ordinary user, an init
 * process, a root file system that cannot be written, no capabilities, its own secrets alone, and nothing that only a
 * build needs.
 * @throws Error naming the first promise that does not hold
 */
export async function checkHardening(project: Project, say: (line: string) => void): Promise<void> {
  for (const [service, foreignSecret] of Object.entries(processes)) {
    const apps = await project.exec(service, ['sh', '-c', script(foreignSecret)]).catch((error: unknown) => {
      throw new Error(`${service}: ${error instanceof Error ? error.message : String(error)}`);
    });
    say(`   ${service.padEnd(14)} uid 1000, read-only, no capabilities, holds ${apps.trim().split('\n').join(', ')}`);
  }
}

const secretFolders = [
  ['pets-api', '/secrets/api'],
  ['domains-worker', '/secrets/worker'],
] as const;

const adminCommands = [
  ['feed', 'rotate-epoch'],
  ['certificates', 'move', '--again'],
] as const;

const emptyRedis = ['sh', '-c', 'REDISCLI_AUTH="$(cat /secrets/redis/password)" redis-cli FLUSHDB'] as const;

interface Recovery {
  readonly project: Project;
  readonly client: ScenarioClient;
  readonly say: (line: string) => void;
}

/**
 * A backup, then the loss of the database, of all files and of the secrets of two processes, then the commands of
 * docs/operations/backup-and-restore.md. Everything from before the backup is back, and everything after it is gone.
 * @throws Error at the first step that does not hold
 */
export async function checkRecovery({ project, client, say }: Recovery): Promise<void> {
  const before = await animals(client);
  say(`   ${(await project.exec('backup', ['backup.sh', 'now'])).trim()}`);
  await project.exec('backup', ['backup.sh', 'healthy']);
  await expectAge(project);
  const added = await client.api('POST', '/v1/pets', { name: 'Late', categoryId: 1, status: 'available' });
  if (added.status !== 201) throw new Error(`createPet: ${added.status} ${added.text}`);
  const name = newest(await project.exec('backup', ['backup.sh', 'list']));
  const early = await project.exec('backup', ['backup.sh', 'restore', name]).then(
    () => 'a restore',
    (error: unknown) => String(error),
  );
  if (!early.includes('stop pets-api')) throw new Error(`${early}, while pets-api uses the database`);

  const restored = project.canRun ? await recover(project) : await recoverInContainersThatRun(project, name);
  const former = /the former database is (pets_before_\w+)/.exec(restored)?.[1];
  if (!restored.includes(`backup: restored ${name}`) || former === undefined)
    throw new Error(`the restore: ${restored}`);
  say(`   restored; the former database is ${former}`);
  await waitUntil(async () => (await get(project.ports.api, '/readyz')).ok, {
    timeoutMs: READY_LIMIT_MS,
    intervalMs: 500,
    message: 'the API after the restore',
  });
  const after = await animals(client);
  if (JSON.stringify(after) !== JSON.stringify(before))
    throw new Error(`animals before the backup: ${before.join(', ')}; after the restore: ${after.join(', ')}`);
  say(`   ${after.length} animals as before the backup, and not the later one`);
}

/** The commands of the page, in its order. @returns the output of the restore */
async function recover(project: Project): Promise<string> {
  const secrets = new Map<string, string>();
  // The archives contain ASCII only.
  for (const [service, folder] of secretFolders)
    secrets.set(folder, await project.exec(service, ['tar', '-C', folder, '-cf', '-', '.']));

  await project.stop('pets-api', 'domains-worker');
  await project.exec('backup', ['sh', '-c', 'rm -rf /data/deployments/*']);
  const lost = [...secrets.keys()].map((folder) => `${folder}/*`).join(' ');
  await project.run(['--no-deps', '--entrypoint', 'sh', 'setup', '-c', `rm -f ${lost}`]);

  for (const [folder, archive] of secrets)
    await project.run(['--no-deps', '--entrypoint', 'tar', 'setup', '-C', folder, '-xf', '-'], archive);
  await project.up('--wait', 'postgres', 'redis');
  const name = newest(await project.run(['--no-deps', 'backup', 'list']));
  const restored = await project.run(['--no-deps', 'backup', 'restore', name]);
  await project.run(['migrate']);
  for (const command of adminCommands)
    await project.run(['--no-deps', 'pets-api', 'node', 'apps/pets-api/dist/admin.js', ...command]);
  await project.exec('redis', emptyRedis);
  await project.up();
  return restored;
}

/** The same without `compose run`: the administrator's commands need pets-api, and the secrets stay. */
async function recoverInContainersThatRun(project: Project, name: string): Promise<string> {
  await project.stop('pets-api', 'domains-worker');
  await project.exec('backup', ['sh', '-c', 'rm -rf /data/deployments/*']);
  // Names cannot be resolved for a moment when containers of a network stop.
  const restored = await waitUntil(() => project.exec('backup', ['backup.sh', 'restore', name]), {
    timeoutMs: READY_LIMIT_MS,
    intervalMs: 2_000,
    message: 'the restore',
  });
  await project.exec('redis', emptyRedis);
  await project.start('pets-api');
  for (const command of adminCommands)
    await waitUntil(() => project.exec('pets-api', ['node', 'apps/pets-api/dist/admin.js', ...command]), {
      timeoutMs: READY_LIMIT_MS,
      intervalMs: 2_000,
      message: command.join(' '),
    });
  await project.start('domains-worker');
  return restored;
}

function newest(list: string): string {
  return list.trim().split('\n').at(-1) ?? '';
}

async function animals(client: ScenarioClient): Promise<string[]> {
  const listed = await client.api<{ name: string }[]>('GET', '/v1/pets?limit=100');
  if (listed.status !== 200) throw new Error(`listPets: ${listed.status} ${listed.text}`);
  return listed.body.map(({ name }) => name);
}

/** The alert of old backups has something to go by. */
async function expectAge(project: Project): Promise<void> {
  await waitUntil(
    async () => {
      const metrics = await (await get(project.ports.apiInternal, '/metrics')).text();
      const age = /^pets_backup_age_seconds(?:\{[^}]*\})? (\S+)$/m.exec(metrics)?.[1];
      return age !== undefined && Number(age) < 600;
    },
    { timeoutMs: READY_LIMIT_MS, intervalMs: 1_000, message: 'pets_backup_age_seconds' },
  );
}

function get(port: number, path: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) });
}
