import { randomBytes } from 'node:crypto';
import type {
  ApiError,
  Attempt,
  CaProblem,
  DnsFindings,
  Domain,
  DomainHistoryEntry,
  DomainJobs,
  ExpectedDns,
  Project,
} from '@pets/contracts';
import type { Logger } from '@pets/platform';
import { notify } from '@pets/persistence';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { site } from './projects/bundles.js';
import type { Clock } from '../src/platform/clock.js';
import type { ApiResponse, TestApi } from './harness.js';
import { shareApiWithWorker, startApiWithWorker, type ApiWithWorker } from './shared-api.js';
import { type ScriptedWorker, attemptOf, matchingFindings, orderOf, signRequest } from './scripted-worker.js';

export const directoryUrl = 'http://ca.test/dir';

/** An API with a scripted worker, a Pro organization and a deployed project: where every domain test begins. */
export interface DomainFixture {
  readonly api: TestApi;
  readonly worker: ScriptedWorker;
  readonly key: string;
  readonly projectId: string;
  freshName(): string;
  createProject(as: string, isDeployed: boolean): Promise<string>;
  /** The path of a project's domains. */
  path(projectId?: string): string;
  add(name: string): Promise<Domain>;
  get(idOrName: string): Promise<Domain>;
  click<Body = ApiError>(id: string, action: 'verify' | 'reverify'): Promise<ApiResponse<Body>>;
  untilState(id: string, state: string): Promise<void>;
  /** A domain that has just been verified, and the job that asks for its certificate. */
  verified(): Promise<{ id: string; name: string; issue: DomainJobs['issue-certificate'] }>;
  /** Reports that the CA refused an attempt. */
  failIssuance(attempt: Attempt, problem: CaProblem): Promise<void>;
  /** Another organization, with a deployed project of its own. */
  tenant(): Promise<Tenant>;
  /** Lets the next DNS check of a domain find something. */
  check(id: string, find: (expected: ExpectedDns) => DnsFindings): Promise<void>;
  /** Reports that the CA issued the certificate of an attempt. */
  sign(attempt: DomainJobs['issue-certificate'], name: string): Promise<void>;
  /** Lets the certificate that is asked for be issued. */
  issue(id: string, name: string): Promise<void>;
  /** Makes scheduled work due now. */
  makeDue(id: string, kind: 'dns' | 'issuance'): Promise<void>;
  close(): Promise<void>;
}

/** One organization and its project. */
export interface Tenant {
  readonly key: string;
  readonly projectId: string;
  add(name: string): Promise<Domain>;
  get(idOrName: string): Promise<Domain>;
  remove(id: string): Promise<ApiResponse<Domain>>;
  /** The history of a domain. */
  events(id: string): Promise<DomainHistoryEntry[]>;
  untilState(id: string, state: string): Promise<void>;
}

/** A domain fixture with an API of its own, for tests that give it settings or a clock, or change what belongs to all. */
export async function startDomainFixture(
  log?: Logger,
  settings: Record<string, string> = {},
  clock?: Clock,
): Promise<DomainFixture> {
  return domainFixtureOf(await startApiWithWorker(settings, clock, log));
}

/** A domain fixture on the API that the test files of this process share: `shareApiWithWorker` says what that asks of a test. */
export async function shareDomainFixture(): Promise<DomainFixture> {
  return domainFixtureOf(await shareApiWithWorker());
}

async function domainFixtureOf({ api, worker }: ApiWithWorker): Promise<DomainFixture> {
  const { key } = await api.createOrganization('pro');
  // No other fixture has its names.
  const label = randomBytes(3).toString('hex');
  let count = 0;

  const freshName = () => `d${++count}-${label}.example.com`;
  const createProject = async (as: string, isDeployed: boolean) => {
    const body = { name: 'P', slug: `p-${++count}-${label}` };
    const { id } = (await api.request<Project>('POST', '/v1/projects', { key: as, body })).body;
    const headers = { 'content-type': 'application/gzip' };
    if (isDeployed) await api.request('POST', `/v1/projects/${id}/deployments`, { key: as, body: site, headers });
    return id;
  };
  const projectId = await createProject(key, true);
  const path = (id = projectId) => `/v1/projects/${id}/domains`;
  const own = tenantOf(api, key, projectId);
  const check: DomainFixture['check'] = async (id, find) => {
    const job = await worker.nextJob('verify-dns', id);
    await api.messaging.events.emit('dns.checked', { ...attemptOf(job), findings: find(job.expected) });
  };
  const sign: DomainFixture['sign'] = async (job, name) => {
    const chainPem = await signRequest(job.csrPem, name);
    await api.messaging.events.emit('certificate.issued', { ...orderOf(job), chainPem });
  };
  await api.messaging.events.emit('account.ready', {
    directoryUrl,
    accountUrl: 'http://ca.test/acct/1',
    thumbprint: 'thumb',
  });

  return {
    api,
    worker,
    key,
    projectId,
    freshName,
    createProject,
    path,
    add: (name) => own.add(name),
    get: (id) => own.get(id),
    click: (id, action) => api.request('POST', `${path()}/${id}/${action}`, { key }),
    untilState: (id, state) => own.untilState(id, state),
    tenant: async () => {
      const other = await api.createOrganization('pro');
      return tenantOf(api, other.key, await createProject(other.key, true));
    },
    check,
    sign,
    issue: async (id, name) => sign(await worker.nextJob('issue-certificate', id), name),
    makeDue: async (id, kind) => {
      await sql`update domain_work set due_at = now() - interval '1 second' where domain_id = ${id} and kind = ${kind}`.execute(
        api.db,
      );
      await notify(api.db, 'domain_work');
    },
    verified: async () => {
      const { id, name } = await own.add(freshName());
      await check(id, matchingFindings);
      return { id, name, issue: await worker.nextJob('issue-certificate', id) };
    },
    failIssuance: (attempt, problem) =>
      api.messaging.events.emit('certificate.failed', {
        ...attemptOf(attempt),
        ...{ directoryUrl, method: null },
        stage: 'order',
        ordered: true,
        gate: null,
        problem,
        order: null,
      }),
    close: () => api.close(),
  };
}

function tenantOf(api: TestApi, key: string, projectId: string): Tenant {
  const path = `/v1/projects/${projectId}/domains`;
  const get = async (id: string) => (await api.request<Domain>('GET', `${path}/${id}`, { key })).body;
  return {
    key,
    projectId,
    add: async (name) => (await api.request<Domain>('POST', path, { key, body: { name } })).body,
    get,
    remove: (id) => api.request('DELETE', `${path}/${id}`, { key }),
    events: async (id) =>
      (await api.request<DomainHistoryEntry[]>('GET', `${path}/${id}/events?limit=100`, { key })).body,
    untilState: async (id, state) => {
      await waitUntil(async () => (await get(id)).state === state, { timeoutMs: 15_000, message: state });
    },
  };
}
