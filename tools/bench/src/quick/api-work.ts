import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONNECTIONS, load, plainFastify, startContestant, type Request } from '../api/contestants.js';
import { threadCpuSeconds } from '../engine/processes.js';
import { DatabaseTally, type DatabaseMeter } from './database-meter.js';
import { measurePairs, type CpuTimes, type Report } from './reading.js';

export interface RunningApi {
  readonly url: string;
  readonly pid: number;
  readonly apiKey: string;
  readonly databaseUrl: string;
  readonly postgresPid: number;
}

const OPERATIONS = 100;
const PUBLICATIONS = 40;
/** For each side of a pair. */
const REQUESTS = 2_500;
const NEW_PET = JSON.stringify({ name: 'Rex', categoryId: 7 });
const LIMIT_MS = 10_000;

/** Creating and listing animals, and publishing a deployment, one by one. */
export async function countApiWork(api: RunningApi, meter: DatabaseMeter, report: Report): Promise<void> {
  const create = () => call(api, '/v1/pets', { method: 'POST', body: NEW_PET, type: 'application/json' });
  for (let pet = 0; pet < OPERATIONS; pet++) await create();
  await report(await tallyOf('create', meter, OPERATIONS, create));
  await report(await tallyOf('list', meter, OPERATIONS, () => call(api, '/v1/pets')));
  const activations = await deployTwice(api);
  let next = 0;
  const publish = () => call(api, activations[next++ % activations.length] ?? '', { method: 'POST' });
  await publish();
  await report(await tallyOf('publication', meter, PUBLICATIONS, publish));
}

async function tallyOf(name: string, meter: DatabaseMeter, operations: number, operation: () => Promise<unknown>) {
  const tally = new DatabaseTally();
  const repeat = async () => {
    for (let done = 0; done < operations; done++) await operation();
  };
  await meter.during(tally, repeat, operations);
  return tally.counts(name);
}

/** CPU time of pets-api and PostgreSQL beside a server that is written by hand, on the same database. */
export async function compareApi(api: RunningApi, report: Report): Promise<void> {
  const peer = await startContestant(plainFastify, { DATABASE_URL: api.databaseUrl });
  try {
    const requests: Readonly<Record<string, (url: string) => Request>> = {
      create: (url) => ({ urls: [`${url}/v1/pets`], key: api.apiKey, body: NEW_PET }),
      list: (url) => ({ urls: [`${url}${firstPage}`, ...otherPages.map((page) => url + page)], key: api.apiKey }),
    };
    for (const [name, request] of Object.entries(requests)) {
      const measure = async ({ url, pid }: Pick<RunningApi, 'url' | 'pid'>): Promise<CpuTimes> => {
        const read = () => ({ server: threadCpuSeconds(pid), postgres: threadCpuSeconds(api.postgresPid) });
        const before = read();
        await load(request(url), { requests: REQUESTS });
        const after = read();
        return {
          server: (after.server - before.server) / REQUESTS,
          postgres: (after.postgres - before.postgres) / REQUESTS,
        };
      };
      await report(await measurePairs(name, async () => ({ ours: await measure(api), peer: await measure(peer) })));
    }
  } finally {
    await peer.stop();
  }
}

/** Each connection reads its own page: requests for one page at the same time share a statement of ours. */
const firstPage = '/v1/pets?limit=20';
const otherPages = Array.from({ length: CONNECTIONS - 1 }, (_, index) => `/v1/pets?limit=${21 + index}`);

/** Two deployments of a project. @returns the paths that activate them, in turns */
async function deployTwice(api: RunningApi): Promise<readonly string[]> {
  const project = await call(api, '/v1/projects', {
    ...{ method: 'POST', type: 'application/json', body: JSON.stringify({ name: 'Quick', slug: 'quick' }) },
  });
  const deployments = `/v1/projects/${project.id}/deployments`;
  const paths: string[] = [];
  for (const text of ['one', 'two']) {
    const body = await bundleOf(text);
    const deployment = await call(api, deployments, { method: 'POST', type: 'application/gzip', body });
    paths.push(`${deployments}/${deployment.id}/activate`);
  }
  return paths;
}

async function bundleOf(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-bench-bundle-'));
  try {
    await writeFile(join(folder, 'index.html'), text);
    const { stdout, status } = spawnSync('tar', ['-czf', '-', '-C', folder, 'index.html'], { timeout: LIMIT_MS });
    if (status !== 0) throw new Error('tar failed');
    return new Uint8Array(stdout);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Call {
  readonly method: string;
  readonly type?: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** @throws Error for an answer that is no success @returns its JSON */
async function call({ url, apiKey }: RunningApi, path: string, { method, type, body }: Call = { method: 'GET' }) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(type !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status} ${text}`);
  return JSON.parse(text) as { readonly id: string }; // of what is created; lists are not read
}
