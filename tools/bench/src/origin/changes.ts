import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { EdgeRoute } from '@pets/contracts';
import { PLATFORM_CERTIFICATE } from '@pets/contracts/edge-feed';
import { callApi, createProject } from '@pets/dev-stack';
import { PLATFORM_DOMAIN, startStack, writeFirstSnapshot, type Stack, type StackEdge } from '@pets/lab';
import { openFileStorage } from '@pets/platform';
import { waitUntil } from '@pets/testing/processes';
import pg from 'pg';
import { z } from 'zod';
import { nameOf } from '../edge/certificate-set.js';
import type { Ground } from '../edge/contestant.js';
import { median, quantile, type Figure } from '../figure.js';
import { ScaleEdge } from '../scale/scale-edge.js';
import { originSettings } from '../settings.js';
import { PORT_PATH, startApplication, type Application } from './application.js';
import { applicationRoute, forwardingSettings, originRoute } from './contestants.js';

/** Changes of an application that many domains share. */
const { BENCH_ORIGIN_DOMAINS: DOMAINS, BENCH_ORIGIN_ROUNDS: ROUNDS } = originSettings;

const EDGES = 2;
const CHANGES = 10;
const LIMIT_MS = 120_000;
const BAR_MS = 1_000;

const projectSlug = 'shared';
const HOST = `${projectSlug}.${PLATFORM_DOMAIN}`;

export async function measureChanges(ground: Ground): Promise<Figure[]> {
  return [...(await measureChange()), await measureRemovals(ground)];
}

/** The real API: from sending a change until the visitors of every edge get answers of the other application. */
async function measureChange(): Promise<Figure[]> {
  const edge = { ...forwardingSettings, EDGE_PROCESSES: '1' };
  const stack = await startStack({ stores: { queues: 'postgres' }, processes: ['api'], settings: { edge } });
  const [first, second] = [await startApplication(), await startApplication()];
  const db = new pg.Client({ connectionString: stack.postgres.url });
  await db.connect();
  const agents: Agent[] = [];
  try {
    const project = await createProject(stack.api.url, stack.apiKey, 'Shared', projectSlug);
    const answersAt = ({ httpsPort }: StackEdge) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      agents.push(agent);
      return ({ port }: Application) =>
        waitUntil(async () => (await portOf(agent, httpsPort).catch(() => '')) === String(port), {
          ...{ timeoutMs: LIMIT_MS, intervalMs: 1, message: 'the application to answer' },
        });
    };
    // An application serves from its first test on, which needs an edge. Those that are measured start with all domains.
    const tester = await stack.startEdge(stack.api);
    const id = await put(stack, project, first);
    await answersAt(tester)(first);
    await tester.process.stop();
    await fillRoutes(db, project, id);
    const visits: ReturnType<typeof answersAt>[] = [];
    while (visits.length < EDGES) visits.push(answersAt(await stack.startEdge(stack.api)));
    const answeredBy = (application: Application) => Promise.all(visits.map((visit) => visit(application)));
    await answeredBy(first);
    const [times, entries]: [number[], number[]] = [[], []];
    for (let change = 0; change < CHANGES; change++) {
      const application = change % 2 === 0 ? second : first;
      const before = await feedVersion(db);
      const began = performance.now();
      await put(stack, project, application);
      await answeredBy(application);
      times.push(performance.now() - began);
      entries.push(await countEntries(db, before));
    }
    const most = Math.max(...entries);
    process.stdout.write(
      `${DOMAINS} domains of one application, ${EDGES} edges: a change everywhere after p50 ${median(times).toFixed(0)} ms, ` +
        `longest ${Math.max(...times).toFixed(0)} ms, ${most} rows of the feed\n`,
    );
    return [
      { name: 'origin/change-everywhere-ms', ratio: Math.max(...times), bar: BAR_MS, isMaximum: true },
      { name: 'origin/change-rows', ratio: most, bar: 1, isMaximum: true },
    ];
  } finally {
    for (const agent of agents) agent.destroy();
    await db.end();
    await stack.close();
    await Promise.all([first.stop(), second.stop()]);
  }
}

const answeredOrigin = z.object({ id: z.string() });

async function put({ api, apiKey }: Stack, projectId: string, { port }: Application): Promise<string> {
  const body = { url: `http://127.0.0.1:${port}` };
  const answer = await callApi({ apiUrl: api.url, apiKey }, 'PUT', `/v1/projects/${projectId}/origin`, body);
  if (answer.status !== 200) throw new Error(`a change was answered ${answer.status} ${answer.text}`);
  return answeredOrigin.parse(answer.body).id;
}

/** Adds routes as if the domains had been added one by one. */
async function fillRoutes(db: pg.Client, project: string, origin: string): Promise<void> {
  const serve = { kind: 'application', origin } as const;
  const route: EdgeRoute = { answersChallenges: true, serve, certificateId: PLATFORM_CERTIFICATE };
  await db.query(
    `insert into edge_routes (host, project_id, version, route)
    select format('n%s.edge-bench.test', i), $1, (select version from edge_feed) + i + 1, $2::jsonb
    from generate_series(0, $3::int - 1) i`,
    [project, JSON.stringify(route), DOMAINS],
  );
  await db.query('update edge_feed set version = version + $1', [DOMAINS]);
  await db.query('vacuum analyze edge_routes');
}

async function feedVersion(db: pg.Client): Promise<string> {
  const { rows } = await db.query<{ version: string }>('select version from edge_feed');
  return rows[0]?.version ?? '';
}

async function countEntries(db: pg.Client, after: string): Promise<number> {
  const { rows } = await db.query<{ count: string }>('select count(*) from edge_routes where version > $1', [after]);
  return Number(rows[0]?.count);
}

/** The body of an answer: the port of the application. */
function portOf(agent: Agent, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { agent, port, host: '127.0.0.1', servername: HOST, headers: { host: HOST }, path: PORT_PATH };
    const sent = request({ ...options, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve(text)).on('error', reject);
    });
    sent.on('error', reject).end();
  });
}

const REMOVALS = 300;
const REMOVAL_PAUSE_MS = 2;
const CHANGE_INTERVAL_MS = 1_000;
const REMOVAL_BAR = 1.2;

/** Removals at one edge, from sending one to its acknowledgement, while the application of all domains changes and while not. */
async function measureRemovals(ground: Ground): Promise<Figure> {
  const storage = await openFileStorage(pathToFileURL(join(ground.folder, 'files')).href);
  const snapshot = await writeFirstSnapshot(storage, 'bench-shared', sharedRoutes());
  const options = { name: 'shared', processes: 1, environment: forwardingSettings } as const;
  const { edge } = await ScaleEdge.start({ ...ground, snapshot: () => Promise.resolve(snapshot) }, DOMAINS, options);
  try {
    let next = 0;
    const remove = async () => {
      const times: number[] = [];
      while (times.length < REMOVALS) {
        times.push(await edge.api.publish(nameOf(next++), null));
        await sleep(REMOVAL_PAUSE_MS);
      }
      return quantile(times, 0.99);
    };
    await remove();
    const rounds: { readonly quiet: number; readonly changing: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const quiet = await remove();
      const over = new AbortController();
      const changing = changeUntil(edge, over.signal);
      rounds.push({ quiet, changing: await remove() });
      over.abort();
      await changing;
    }
    const p99 = (of: 'quiet' | 'changing') => median(rounds.map((round) => round[of])).toFixed(2);
    process.stdout.write(`removals beside changes: p99 ${p99('changing')} ms, without ${p99('quiet')} ms\n`);
    const ratio = median(rounds.map(({ quiet, changing }) => changing / quiet));
    return { name: 'origin/removal-p99-changing/quiet', ratio, bar: REMOVAL_BAR, isMaximum: true };
  } finally {
    await edge.stop();
  }
}

function* sharedRoutes(): Generator<readonly [string, EdgeRoute]> {
  yield originRoute('shared', 'http://127.0.0.1:1024');
  for (let index = 0; index < DOMAINS; index++) yield [nameOf(index), applicationRoute(index, 'shared')];
}

async function changeUntil(edge: ScaleEdge, signal: AbortSignal): Promise<void> {
  for (let port = 1_025; !signal.aborted; port++) {
    await edge.api.publish(...originRoute('shared', `http://127.0.0.1:${port}`));
    await sleep(CHANGE_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}
