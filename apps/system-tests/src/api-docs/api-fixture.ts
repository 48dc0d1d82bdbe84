import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPetsClient, type PetsClient } from '@pets/client';
import { built, startProcess, startStack, type Stack, type StackProcess } from '@pets/lab';
import { freePort, waitUntil } from '@pets/testing';
import { repositoryRoot } from '@pets/testing/processes';

/** A built pets-api on a database of its own, and what the transcripts need in it. */
export interface ApiFixture {
  readonly client: PetsClient;
  readonly databaseUrl: string;
  /** Variables of the commands of transcripts: `API`, `KEY`, and ids. */
  readonly variables: Readonly<Record<string, string>>;
  /** A key of the same organization. */
  readonly createKey: (scopes: string) => string;
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
  readonly suspendOrganization: () => string;
  /** Has the operator block a name. */
  readonly blockName: (name: string, reason: string) => void;
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

const COMMAND_LIMIT_MS = 60_000;

/** The documents name this address, whatever the port. */
const PUBLIC_URL = 'https://api.pets.example';

export async function startApiFixture(): Promise<ApiFixture> {
  const stack = await startStack({
    stores: { queues: 'postgres', postgres: 'volatile' },
    hasKnownNames: false,
    processes: ['api'],
    settings: {
      api: { PUBLIC_URL, ACME_DIRECTORY_URLS: 'http://ca.test/directory', RATE_LIMIT_PER_MINUTE: '1000' },
    },
  });
  const { organizationId, apiKey, api } = stack;
  const client = createPetsClient({ baseUrl: api.url, apiKey });
  const replicas: StackProcess[] = [];
  const deploy = await openDeploying(stack.folder);
  const createProject = async (slug: string, isDeployed: boolean) => {
    const projectId = await addProject(client, slug);
    if (isDeployed) await deploy(client, projectId);
    return projectId;
  };
  return {
    client,
    databaseUrl: stack.postgres.url,
    variables: { API: api.url, KEY: apiKey, PROJECT: await createProject('acme-docs', true) },
    createKey: (scopes) => {
      const command = ['key', 'create', '--organization', organizationId, '--name', 'docs', '--scopes', scopes];
      return (stack.admin(command) as { readonly apiKey: string }).apiKey; // what it prints
    },
    createFreeTenant: async (slug, limits = {}) => {
      const free = stack.createTenant('free');
      const limit = ['limits', 'set', '--organization', free.organizationId];
      for (const [name, value] of Object.entries(limits))
        stack.admin([...limit, '--name', name, '--value', `${value}`]);
      const freeClient = createPetsClient({ baseUrl: api.url, apiKey: free.apiKey });
      const projectId = await addProject(freeClient, slug);
      return { key: free.apiKey, client: freeClient, projectId, deploy: () => deploy(freeClient, projectId) };
    },
    suspendOrganization: () => {
      const tenant = stack.createTenant('pro');
      const suspended = ['organization', 'suspend', '--organization', tenant.organizationId];
      stack.admin([...suspended, '--reason', 'phishing reports']);
      return tenant.apiKey;
    },
    blockName: (name, reason) => void stack.admin(['names', 'block', '--name', name, '--reason', reason]),
    createProject,
    deploy: (projectId) => deploy(client, projectId),
    startReplica: async (replica) => {
      const started = await startReplica(stack, replica);
      replicas.push(started);
      return started.url;
    },
    stopDatabase: () => stack.postgres.stop(),
    close: async () => {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await stack.close();
    },
  };
}

/** A ring of one key, for `CERTIFICATE_KEKS` and the like. */
export function keyRing(): string {
  return `${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`;
}

/** Resolves when it answers, ready or not. */
async function startReplica(
  stack: Stack,
  { program, settings = {} }: Parameters<ApiFixture['startReplica']>[0],
): Promise<StackProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [program === undefined ? built('pets-api') : join(repositoryRoot, program)];
  const env = { ...stack.environments().api, ...settings, PORT: String(port) };
  const replica = startProcess({ name: 'pets-api', command: process.execPath, args, env }, url, false);
  await waitUntil(async () => (await fetch(`${url}/livez`)).ok, { timeoutMs: 30_000, message: 'a replica to answer' });
  return replica;
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
  const { stdout } = await promisify(execFile)('tar', ['-cz', '-C', folder, 'index.html'], packing);
  return async (client: PetsClient, projectId: string): Promise<void> => {
    const { response } = await client.POST('/v1/projects/{projectId}/deployments', {
      params: { path: { projectId } },
      headers: { 'content-type': 'application/gzip' },
      body: new Blob([new Uint8Array(stdout)]),
    });
    if (response.status !== 201) throw new Error(`the deployment was answered ${response.status}`);
  };
}
