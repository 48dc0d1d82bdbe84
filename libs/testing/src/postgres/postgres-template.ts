import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../processes/ports.js';
import { repositoryRoot } from '../processes/repository-root.js';
import { keepTemplate, startPostgres } from './postgres.js';
import pg from 'pg';

/** The initial contents of a database: made once, then copied for each test. */
export type TestPostgresContents = {
  readonly name: string;
  /** Files and folders, from the root of the repository, that `fill` depends on: when they change, it runs again. */
  readonly sources: readonly string[];
  readonly fill: (url: string) => Promise<void>;
};

export const EMPTY: TestPostgresContents = { name: 'empty', sources: [], fill: () => Promise.resolve() };

/** Tests need no durability after a power failure. Acknowledged commits still survive the kill of a process. */
export const testPostgresSettings = { fsync: 'off', full_page_writes: 'off' } as const;

const TEMPLATES = join(repositoryRoot, 'node_modules/.cache/pets-postgres');
/** Decides about templates too. */
const HERE = 'libs/testing/src/postgres/postgres-template.ts';
const DAY_MS = 86_400_000;

/** Makes it where it is missing. @returns the folder of a cluster whose database `postgres` has these contents */
export async function clusterTemplate(contents: TestPostgresContents): Promise<string> {
  const template = join(
    TEMPLATES,
    `${contents.name}-${await hashOf(['package-lock.json', HERE, ...contents.sources])}`,
  );
  if (!existsSync(template)) await makeTemplate(template, contents);
  return template;
}

async function makeTemplate(template: string, { name, fill }: TestPostgresContents): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-test-postgres-'));
  const dataDir = join(folder, 'data');
  const server = await startPostgres({ dataDir, port: await freePort(), settings: testPostgresSettings });
  try {
    await fill(server.url);
    await cheapenConnections(server.url);
    await server.stop();
    await keepTemplate(dataDir, template);
  } finally {
    await server.destroy();
    await rm(folder, { recursive: true, force: true });
  }
  await dropOldTemplates(name);
}

/** A password is hashed once for each connection and side, and not 4096 times. */
async function cheapenConnections(url: string): Promise<void> {
  const { username, password } = new URL(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set scram_iterations = 1');
    await client.query(`alter role ${username} password '${password}'`);
  } finally {
    await client.end();
  }
}

/** Deletes templates of a day ago or older; a run that began before a recent change may be copying a newer one. */
async function dropOldTemplates(name: string): Promise<void> {
  for (const entry of await readdir(TEMPLATES)) {
    const path = join(TEMPLATES, entry);
    const madeAt = await stat(path).catch(() => null); // another run may delete it first
    if (entry.startsWith(`${name}-`) && madeAt !== null && madeAt.ctimeMs < Date.now() - DAY_MS) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

async function hashOf(sources: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sources) {
    const path = join(repositoryRoot, source);
    const isFolder = (await stat(path)).isDirectory();
    const files = isFolder
      ? (await readdir(path, { recursive: true })).toSorted().map((file) => join(path, file))
      : [path];
    for (const file of files) {
      if ((await stat(file)).isFile()) hash.update(file.slice(repositoryRoot.length)).update(await readFile(file));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
