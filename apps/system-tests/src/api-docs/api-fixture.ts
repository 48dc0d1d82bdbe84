import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createPetsClient, type PetsClient } from '@pets/client';
import { freePort, startTestPostgresServer, startServiceProcess } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';

/** A built pets-api on a database of its own, and what the transcripts need in it. */
export interface ApiFixture {
  readonly client: PetsClient;
  readonly databaseUrl: string;
  /** Variables of the commands of transcripts: `API`, `KEY`, and ids. */
  readonly variables: Readonly<Record<string, string>>;
  /** A key of the same organization. */
  readonly createKey: (scopes?: string) => Promise<string>;
  /** A key of a new organization on the free plan, where the operator gave it limits of its own with these, a client with it, and its project. */
  readonly createFreeTenant: (
    slug: string,
    limits?: Readonly<Record<string, number>>,
  ) => Promise<{
    readonly key: string;
    readonly client: PetsClient;
    readonly projectId: string;
    /** Uploads a page to the project. */
    readonly deploy: () => Promise<void>;
  }>;
  /** A key of an organization that the operator has suspended. */
  readonly suspendOrganization: () => Promise<string>;
  /** Has the operator block a name. */
  readonly blockName: (name: string, reason: string) => Promise<void>;
  /** A project, deployed or not. */
  readonly createProject: (slug: string, isDeployed: boolean) => Promise<string>;
  /** Uploads a page to a project once more. */
  readonly deploy: (projectId: string) => Promise<void>;
  /** Another process on the same database. @returns its address */
  readonly startReplica: (replica: {
    readonly program?: string;
    readonly settings?: Record<string, string>;
  }) => Promise<string>;
  /** For good. */
  readonly stopDatabase: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const MAIN = 'apps/pets-api/dist/main.js';
const COMMAND_LIMIT_MS = 60_000;

/** The documents name this address, whatever the port. */
const PUBLIC_URL = 'https://api.pets.example';

const run = promisify(execFile);

export async function startApiFixture(): Promise<ApiFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-api-docs-'));
  const postgres = await startTestPostgresServer();
  const environment = settingsOf(postgres.url, folder);
  await runProgram('apps/pets-api/dist/migrate.js', [], environment);
  const { stopAll, start } = openReplicas(environment);
  const admin = (args: readonly string[]) => runProgram('apps/pets-api/dist/admin.js', args, environment);
  const acme = await createTenant(admin, 'Acme', 'pro');
  const api = await start({});
  const client = createPetsClient({ baseUrl: api, apiKey: acme.key });
  const deploy = await openDeploying(folder);
  const createProject = async (slug: string, isDeployed: boolean) => {
    const projectId = await addProject(client, slug);
    if (isDeployed) await deploy(client, projectId);
    return projectId;
  };
  return {
    client,
    databaseUrl: postgres.url,
    variables: { API: api, KEY: acme.key, PROJECT: await createProject('acme-docs', true) },
    createKey: (scopes) => createKey(admin, acme.organizationId, scopes),
    createFreeTenant: async (slug, limits = {}) => {
      const { organizationId, key } = await createTenant(admin, 'Free', 'free');
      for (const [name, value] of Object.entries(limits))
        await admin(['limits', 'set', '--organization', organizationId, '--name', name, '--value', String(value)]);
      const freeClient = createPetsClient({ baseUrl: api, apiKey: key });
      const projectId = await addProject(freeClient, slug);
      return { key, client: freeClient, projectId, deploy: () => deploy(freeClient, projectId) };
    },
    suspendOrganization: async () => {
      const { organizationId, key } = await createTenant(admin, 'Suspended', 'pro');
      await admin(['organization', 'suspend', '--organization', organizationId, '--reason', 'phishing reports']);
      return key;
    },
    blockName: async (name, reason) => {
      await admin(['names', 'block', '--name', name, '--reason', reason]);
    },
    createProject,
    deploy: (projectId) => deploy(client, projectId),
    startReplica: start,
    stopDatabase: () => postgres.stop(),
    close: async () => {
      await stopAll();
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function settingsOf(databaseUrl: string, folder: string): Record<string, string> {
  return {
    ENVIRONMENT: 'development',
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    PUBLIC_URL,
    APP_SECRET: randomBytes(32).toString('hex'),
    CERTIFICATE_KEKS: keyRing(),
    QUEUE_KEYS_JOBS: keyRing(),
    QUEUE_KEYS_EVENTS: keyRing(),
    EDGE_TOKEN: randomBytes(32).toString('hex'),
    PLATFORM_DOMAIN: 'pets.localhost',
    STORAGE_URL: pathToFileURL(join(folder, 'deployments')).href,
    ACME_DIRECTORY_URLS: 'http://ca.test/directory',
    LOG_LEVEL: 'warn',
  };
}

/** A ring of one key, for `CERTIFICATE_KEKS` and the like. */
export function keyRing(): string {
  return `${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`;
}

function openReplicas(environment: Readonly<Record<string, string>>) {
  const processes: { stop(): Promise<void> }[] = [];
  const start: ApiFixture['startReplica'] = async ({ program = MAIN, settings = {} }) => {
    const port = await freePort();
    const env = { ...environment, ...settings, PORT: String(port) };
    const args = [join(repositoryRoot, program)];
    processes.push(await startServiceProcess({ name: 'pets-api', command: process.execPath, args, env, port }));
    return `http://127.0.0.1:${port}`;
  };
  return { start, stopAll: () => Promise.all(processes.map((each) => each.stop())) };
}

type Admin = (args: readonly string[]) => Promise<string>;

async function createTenant(admin: Admin, name: string, plan: string) {
  const printed = await admin(['organization', 'create', '--name', name, '--plan', plan, '--key-name', 'docs']);
  return { organizationId: readMember(printed, 'organizationId'), key: readMember(printed, 'apiKey') };
}

async function createKey(admin: Admin, organizationId: string, scopes?: string): Promise<string> {
  const limits = scopes === undefined ? [] : ['--scopes', scopes];
  return readMember(
    await admin(['key', 'create', '--organization', organizationId, '--name', 'docs', ...limits]),
    'apiKey',
  );
}

async function addProject(client: PetsClient, slug: string): Promise<string> {
  const { data } = await client.POST('/v1/projects', { body: { name: 'Docs', slug } });
  if (data === undefined) throw new Error(`the project ${slug} was not made`);
  return data.id;
}

/** Uploads a page as a publisher would pack it. */
async function openDeploying(folder: string) {
  await writeFile(join(folder, 'index.html'), '<h1>Acme</h1>');
  const packing = { encoding: 'buffer', timeout: COMMAND_LIMIT_MS } as const;
  const { stdout } = await run('tar', ['-cz', '-C', folder, 'index.html'], packing);
  return async (client: PetsClient, projectId: string): Promise<void> => {
    const { response } = await client.POST('/v1/projects/{projectId}/deployments', {
      params: { path: { projectId } },
      headers: { 'content-type': 'application/gzip' },
      body: new Blob([new Uint8Array(stdout)]),
    });
    if (response.status !== 201) throw new Error(`the deployment was answered ${response.status}`);
  };
}

async function runProgram(program: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const command = [join(repositoryRoot, program), ...args];
  return (await run(process.execPath, command, { env, timeout: COMMAND_LIMIT_MS })).stdout;
}

/** The administrator's commands print one JSON object, as their last line. */
function readMember(printed: string, name: string): string {
  const line = printed.split('\n').findLast((each) => each.startsWith('{'));
  const made: unknown = JSON.parse(line ?? '{}');
  const value: unknown = typeof made === 'object' && made !== null ? Reflect.get(made, name) : undefined;
  if (typeof value !== 'string') throw new Error(`no ${name} in what was printed: ${printed}`);
  return value;
}
