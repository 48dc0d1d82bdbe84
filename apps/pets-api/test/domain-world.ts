import type { ApiError, Attempt, CaProblem, Domain, DomainJobs, Project } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { site } from './bundles.js';
import { startTestApi, type ApiResponse, type TestApi } from './harness.js';
import { attemptOf, matchingFindings, startScriptedWorker, type ScriptedWorker } from './scripted-worker.js';

export const directoryUrl = 'http://ca.test/dir';

/** An API with a scripted worker, a Pro organization and a deployed project: where every domain test begins. */
export interface DomainWorld {
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
  close(): Promise<void>;
}

export async function startDomainWorld(): Promise<DomainWorld> {
  const api = await startTestApi();
  const worker = startScriptedWorker(api.messaging);
  const { key } = await api.createOrganization('pro');
  let count = 0;

  const freshName = () => `d${++count}.example.com`;
  const createProject = async (as: string, isDeployed: boolean) => {
    const { id } = (
      await api.request<Project>('POST', '/v1/projects', { key: as, body: { name: 'P', slug: `p-${++count}` } })
    ).body;
    const headers = { 'content-type': 'application/gzip' };
    if (isDeployed) await api.request('POST', `/v1/projects/${id}/deployments`, { key: as, body: site, headers });
    return id;
  };
  const projectId = await createProject(key, true);
  const path = (id = projectId) => `/v1/projects/${id}/domains`;
  const add = async (name: string) => (await api.request<Domain>('POST', path(), { key, body: { name } })).body;
  const get = async (id: string) => (await api.request<Domain>('GET', `${path()}/${id}`, { key })).body;
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
    add,
    get,
    click: (id, action) => api.request('POST', `${path()}/${id}/${action}`, { key }),
    untilState: async (id, state) => {
      await waitUntil(async () => (await get(id)).state === state, { timeoutMs: 15_000, message: state });
    },
    verified: async () => {
      const { id, name } = await add(freshName());
      const job = await worker.nextJob('verify-dns', id);
      await api.messaging.events.emit('dns.checked', { ...attemptOf(job), findings: matchingFindings(job.expected) });
      return { id, name, issue: await worker.nextJob('issue-certificate', id) };
    },
    failIssuance: (attempt, problem) =>
      api.messaging.events.emit('certificate.failed', {
        ...attemptOf(attempt),
        directoryUrl,
        stage: 'order',
        ordered: true,
        gate: null,
        problem,
      }),
    close: async () => {
      await worker.close();
      await api.close();
    },
  };
}
