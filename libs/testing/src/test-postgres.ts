import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, keepTemplate, repositoryRoot, startPostgres } from '@pets/dev-stack';
import pg from 'pg';

export type TestPostgres = {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
  /** Copies the server, with a short interruption: a standby that receives nothing from then on. Once for a server. */
  keepStandby(): Promise<LaggingStandby>;
};

type LaggingStandby = {
  /** Replaces the server, at the same address. What was committed after the copy is lost. */
  promote(): Promise<void>;
};

/** The initial contents of a server: made once, then copied for each test. */
type TestPostgresContents = {
  readonly name: string;
  /** Files and folders, from the root of the repository, that `fill` depends on: when they change, it runs again. */
  readonly sources: readonly string[];
  readonly fill: (url: string) => Promise<void>;
};

const EMPTY: TestPostgresContents = { name: 'empty', sources: [], fill: () => Promise.resolve() };

/** Tests need no durability after a power failure. Acknowledged commits still survive the kill of a process. */
const settings = { fsync: 'off', full_page_writes: 'off' } as const;

const TEMPLATES = join(repositoryRoot, 'node_modules/.cache/pets-postgres');
const DAY_MS = 86_400_000;

/** A PostgreSQL server for one test file. It ends with the test process at the latest. */
export async function startTestPostgres(contents: TestPostgresContents = EMPTY): Promise<TestPostgres> {
  const template = join(TEMPLATES, `${contents.name}-${await hashOf(['package-lock.json', ...contents.sources])}`);
  if (!existsSync(template)) await makeTemplate(template, contents);
  const folder = await mkdtemp(join(tmpdir(), 'pets-test-postgres-'));
  const options = { dataDir: join(folder, 'data'), port: await freePort(), settings };
  let server = await startPostgres({ ...options, template });
  const { url, pid } = server;
  const stop = async () => {
    await server.destroy();
    await rm(folder, { recursive: true, force: true });
  };
  const keepStandby = async () => {
    const standby = join(folder, 'standby');
    await server.stop();
    await keepTemplate(options.dataDir, standby);
    await writeFile(join(standby, 'cluster/standby.signal'), '');
    server = await startPostgres(options);
    const promote = async () => {
      await server.destroy();
      server = await startPostgres({ ...options, dataDir: join(folder, 'promoted'), template: standby });
      await execute(url, 'select pg_promote()');
    };
    return { promote };
  };
  return { url, pid, stop, keepStandby };
}

async function makeTemplate(template: string, { name, fill }: TestPostgresContents): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-test-postgres-'));
  const dataDir = join(folder, 'data');
  const server = await startPostgres({ dataDir, port: await freePort(), settings });
  try {
    await fill(server.url);
    await server.stop();
    await keepTemplate(dataDir, template);
  } finally {
    await server.destroy();
    await rm(folder, { recursive: true, force: true });
  }
  await dropOldTemplates(name);
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

export type ScratchDatabase = { readonly url: string; drop(): Promise<void> };

/** An empty database with a unique name. Dropping it ends its connections. */
export async function scratchDatabase(adminUrl: string): Promise<ScratchDatabase> {
  const name = `scratch_${randomBytes(8).toString('hex')}`;
  await execute(adminUrl, `create database ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(adminUrl, `drop database if exists ${name} with (force)`) };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000, query_timeout: 30_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
