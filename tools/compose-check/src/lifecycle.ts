import { createScenarioClient, openDevRecords, runScenario, waitUntil, type ScenarioClient } from '@pets/dev-stack';
import { request } from 'node:https';
import { checkBoundaries } from './boundaries.js';
import { checkHardening } from './hardening.js';
import type { Project } from './project.js';
import { checkRecovery } from './recovery.js';
import { checkReplacedEdges } from './replaced-edges.js';
import { makeTenant, type Tenant } from './tenant.js';

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
