import { request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createScenarioClient, openDevRecords, runScenario, type ScenarioClient } from '@pets/dev-stack';
import { waitUntil } from '@pets/testing/processes';
import { create } from 'tar';
import { z } from 'zod';
import type { Project } from './project.js';
import { checkBoundaries, checkHardening, checkRecovery } from './operations.js';

/** From the last container's start until every edge has taken the feed. */
const READY_LIMIT_MS = 60_000;
const REQUEST_LIMIT_MS = 5_000;
const PLATFORM_DOMAIN = 'pets.localhost';

export interface Check {
  readonly project: Project;
  readonly repositoryRoot: string;
  readonly say: (line: string) => void;
}

/**
 * Everything that the stack promises, seen from outside: through the published ports and by commands in the containers.
 * @throws Error at the first step that does not hold
 */
export async function checkLifecycle(check: Check): Promise<void> {
  const { project, say } = check;
  say('\nThe stack comes up: docker compose --profile dev up');
  await comeUp(check);
  say('\nWhat the processes may');
  await checkHardening(project, say);
  say('\nWhat is reachable');
  await checkBoundaries(project, say);
  say('\nThe first day: organization, key, project, deployment');
  const tenant = await makeTenant(project, check.repositoryRoot);
  say(`   organization ${tenant.organizationId}, project ${tenant.slug}: deployed`);
  await visitPlatformHost(check, tenant);
  const client = openClient(project, tenant, await pebbleRoot(project));
  const records = openDevRecords({ dnsControlUrl: `http://127.0.0.1:${project.ports.dnsControl}` });
  await runScenario({ client, records, edgeAddress: project.edgeAddress, projectId: tenant.projectId, say });
  say('\nAn update of the edges, one after the other');
  await checkReplacedEdges({ project, say, ...(await platformVisitor(project, tenant)) });
  say('\nA backup, the loss of everything, and a restore');
  await checkRecovery({ project, client, say });
  await visitPlatformHost(check, tenant);
  say('\nStopped and started again: what the volumes hold is still there');
  await project.down();
  await comeUp(check);
  const listed = await client.api<unknown[]>('GET', '/v1/pets');
  if (listed.status !== 200 || listed.body.length !== 1) throw new Error(`listPets: ${listed.status} ${listed.text}`);
  say('   the key is taken, the animal is listed');
  await visitPlatformHost(check, tenant);
}

async function comeUp({ project, say }: Check): Promise<void> {
  const startedAt = Date.now();
  await project.up();
  const url = `http://127.0.0.1:${project.ports.api}/readyz`;
  await waitUntil(async () => (await fetch(url, { signal: AbortSignal.timeout(REQUEST_LIMIT_MS) })).ok, {
    timeoutMs: READY_LIMIT_MS,
    intervalMs: 500,
    message: 'the API',
  });
  say(`   ready after ${((Date.now() - startedAt) / 1000).toFixed(0)} s`);
}

/** The platform's own certificate, and files that pets-api stored and the edge reads. */
async function visitPlatformHost({ project, say }: Check, tenant: Tenant): Promise<void> {
  const { client, host } = await platformVisitor(project, tenant);
  const visit = await waitUntil(
    async () => {
      const seen = await client.visit(host);
      return seen.status === 200 && seen;
    },
    { timeoutMs: READY_LIMIT_MS, intervalMs: 500, message: `https://${host}/` },
  );
  say(`   GET https://${host}/ → ${visit.status}, by "${visit.issuer ?? ''}"`);
}

async function platformVisitor(project: Project, { slug, apiKey }: Tenant) {
  const root = await project.exec('pebble', ['cat', '/secrets/pebble/root.pem']);
  return { client: openClient(project, { apiKey }, root), host: `${slug}.${PLATFORM_DOMAIN}` };
}

function openClient({ ports }: Project, { apiKey }: Pick<Tenant, 'apiKey'>, rootPem: string): ScenarioClient {
  const addresses = {
    apiUrl: `http://127.0.0.1:${ports.api}`,
    edgeHttpUrl: `http://127.0.0.1:${ports.http}`,
    edgeHttpsUrl: `https://127.0.0.1:${ports.https}`,
  };
  return createScenarioClient({ ...addresses, apiKey }, rootPem);
}

/** The root of what Pebble issues, new at each of its starts. Its own port has a certificate that `setup` made. */
async function pebbleRoot(project: Project): Promise<string> {
  const ca = await project.exec('pebble', ['cat', '/secrets/pebble/root.pem']);
  return new Promise((resolve, reject) => {
    const url = `https://localhost:${project.ports.pebble}/roots/0`;
    const asking = request(url, { ca, signal: AbortSignal.timeout(REQUEST_LIMIT_MS) }, (response) => {
      let pem = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (pem += chunk));
      response.on('end', () => resolve(pem));
    });
    asking.on('error', reject).end();
  });
}

const DEPLOY_LIMIT_MS = 30_000;

const organizationSchema = z.object({ organizationId: z.string(), apiKey: z.string() });
const projectSchema = z.object({ id: z.string(), slug: z.string() });

interface Tenant {
  readonly organizationId: string;
  readonly apiKey: string;
  readonly projectId: string;
  readonly slug: string;
}

/**
 * An organization and a key by the administrator's command in the container, a project and a deployment over the
 * published port: what an operator and a publisher do on the first day.
 */
async function makeTenant(project: Project, repositoryRoot: string): Promise<Tenant> {
  const { organizationId, apiKey } = organizationSchema.parse(
    await admin(project, ['organization', 'create', '--name', 'Acme', '--plan', 'pro', '--key-name', 'first']),
  );
  const post = openPost(`http://127.0.0.1:${project.ports.api}/v1`, apiKey);
  const body = JSON.stringify({ name: 'Acme docs', slug: 'acme-docs' });
  const { id, slug } = projectSchema.parse(await post('/projects', 'application/json', body));
  const pages = join(repositoryRoot, 'tools/dev-stack/assets/acme-docs');
  await post(`/projects/${id}/deployments`, 'application/gzip', await packFolder(pages));
  return { organizationId, apiKey, projectId: id, slug };
}

/** The command prints one JSON object, as its last line. */
async function admin(project: Project, args: readonly string[]): Promise<unknown> {
  const printed = await project.exec('pets-api', ['node', 'apps/pets-api/dist/admin.js', ...args]);
  return JSON.parse(printed.split('\n').findLast((line) => line.startsWith('{')) ?? 'null') as unknown;
}

function openPost(baseUrl: string, apiKey: string) {
  return async (path: string, type: string, body: string | Uint8Array<ArrayBuffer>): Promise<unknown> => {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': type },
      body,
      signal: AbortSignal.timeout(DEPLOY_LIMIT_MS),
    });
    const text = await response.text();
    if (response.status !== 201) throw new Error(`POST ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as unknown;
  };
}

async function packFolder(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of create({ gzip: true, cwd: folder, portable: true }, ['.'])) chunks.push(chunk);
  return new Uint8Array(Buffer.concat(chunks));
}

const PAUSE_MS = 20;

interface ReplacedEdges {
  readonly project: Project;
  readonly client: ScenarioClient;
  /** A name that is served. */
  readonly host: string;
  readonly say: (line: string) => void;
}

/**
 * Stops and starts one edge after the other, as an update does, while a visitor comes again and again through the load
 * balancer.
 * @throws Error if a single visit fails
 */
async function checkReplacedEdges({ project, client, host, say }: ReplacedEdges): Promise<void> {
  for (const edge of ['edge', 'edge-2']) await untilReady(project, edge);
  const end = new AbortController();
  const visits = { count: 0, failures: [] as string[] };
  const visiting = (async () => {
    while (!end.signal.aborted) {
      visits.count += 1;
      const outcome = await client.visit(host).then(
        ({ status }) => (status === 200 ? null : `answered ${status}`),
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      if (outcome !== null) visits.failures.push(outcome);
      await sleep(PAUSE_MS);
    }
  })();
  try {
    for (const edge of ['edge', 'edge-2']) {
      await project.stop(edge);
      await project.start(edge);
      await untilReady(project, edge);
    }
  } finally {
    end.abort();
    await visiting;
  }
  const { count, failures } = visits;
  if (failures.length > 0) throw new Error(`${failures.length} of ${count} visits failed: ${failures[0] ?? ''}`);
  say(`   both edges stopped and started, one after the other: ${count} visits, none failed`);
}

/** Ready by its own account, and by that of the load balancer, which asks every half second. */
async function untilReady(project: Project, edge: string): Promise<void> {
  await waitUntil(
    () =>
      project.exec(edge, ['node', 'deploy/images/healthy.mjs', 'http://127.0.0.1:9090/readyz']).then(
        () => true,
        () => false,
      ),
    { timeoutMs: READY_LIMIT_MS, intervalMs: 500, message: `${edge} to be ready` },
  );
}
