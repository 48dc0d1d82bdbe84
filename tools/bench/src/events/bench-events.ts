import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { seedDomains, startStack, type SeededDomain, type Stack } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';
import pg from 'pg';
import { quantile, type Figure } from '../figure.js';
import { settings } from '../settings.js';

const NOTIFY_LIMIT_MS = 5_000;
const NOTIFY_PAUSE_MS = 50;

/**
 * From a change of state to whoever watches: domains come due a few at a time, the worker looks at their DNS, and each
 * is found verified, while so many streams are open. What is measured begins when the API decides, so it holds the
 * transaction that writes the change besides the way to the reader. At the same time, on the same machine, a bare NOTIFY.
 */

const { BENCH_STREAMS: STREAMS } = settings;
/** In 20 projects, each with as many as it may have. */
const DOMAINS = 1_000;
const WARM_UP = 100;
const AT_ONCE = 5;
/** A pause for 50 changes a second, each for a twentieth of the streams. */
const PAUSE_MS = 100;
const OPENING = 50;
const LIMIT_MS = 60_000;
const MOST_P95_MS = 100;

export async function benchEvents(): Promise<readonly Figure[]> {
  const stack = await startStack({
    processes: ['api', 'worker'],
    settings: { api: { EVENT_STREAMS: String(2 * STREAMS), EVENT_STREAMS_PER_KEY: String(STREAMS) } },
    onLine: warn,
  });
  const db = new pg.Client({ connectionString: stack.postgres.url });
  await db.connect();
  const readers: StreamReader[] = [];
  try {
    const domains = await seed(db, stack);
    const projects = [...new Set(domains.map(({ projectId }) => projectId))];
    await verify(db, domains.slice(0, WARM_UP));
    await openAll(readers, projects, (projectId) => openStream(stack.api.url, stack.apiKey, projectId));
    const stop = new AbortController();
    const bare = measureBareNotify(stack.postgres.url, stop.signal);
    try {
      await verify(db, domains.slice(WARM_UP));
      await untilAllArrived(db, readers, projects);
    } finally {
      stop.abort();
    }
    return figures(readers, await bare);
  } finally {
    for (const reader of readers) reader.close();
    await db.end();
    await stack.close();
  }
}

function figures(readers: readonly StreamReader[], bare: readonly number[]): readonly Figure[] {
  const delays = readers.flatMap(({ lines }) => lines.map(({ delayMs }) => delayMs));
  const [p50, p95, p99] = [quantile(delays, 0.5), quantile(delays, 0.95), quantile(delays, 0.99)];
  print(`${readers.length} streams, ${delays.length} arrivals: p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}`);
  const [bare50, bare95, bare99] = [quantile(bare, 0.5), quantile(bare, 0.95), quantile(bare, 0.99)];
  print(`bare NOTIFY, ${bare.length} times: p50 ${ms(bare50)}, p95 ${ms(bare95)}, p99 ${ms(bare99)}`);
  return [
    { name: `events/${MOST_P95_MS}-ms-over-p95`, ratio: MOST_P95_MS / p95, bar: 1 },
    { name: 'events/bare-notify-over-ours-p50', ratio: bare50 / p50, bar: 0 },
    { name: 'events/bare-notify-over-ours-p95', ratio: bare95 / p95, bar: 0 },
  ];
}

/** Domains that nothing looks at before they are made due; those of a project are spread over the run. */
async function seed(db: pg.Client, { organizationId }: Stack): Promise<readonly SeededDomain[]> {
  const named = Array.from({ length: DOMAINS }, (_, index) => ({
    name: `match-e${index}.events.example.com`,
    token: `te${index}`,
  }));
  const domains = await seedDomains(db, organizationId, named, new Date(Date.now() + 86_400_000));
  const ofProject = [...Map.groupBy(domains, ({ projectId }) => projectId).values()];
  return Array.from({ length: DOMAINS / ofProject.length }, (_, nth) =>
    ofProject.flatMap((some) => some[nth] ?? []),
  ).flat();
}

/** Makes domains due, a few at a time, and waits until all are verified. */
async function verify(db: pg.Client, domains: readonly SeededDomain[]): Promise<void> {
  const ids = domains.map(({ id }) => id);
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    await db.query(`update domain_work set due_at = now() where kind = 'dns' and domain_id = any($1::uuid[])`, [some]);
    await db.query(`select pg_notify('domain_work', '')`);
    await sleep(PAUSE_MS);
  }
  const waiting = `select from domains where state = 'awaiting_dns' and id = any($1::uuid[]) limit 1`;
  const isDone = async () => (await db.query(waiting, [ids])).rowCount === 0;
  await waitUntil(isDone, { timeoutMs: LIMIT_MS, intervalMs: 50, message: `${ids.length} domains to be verified` });
}

async function openAll(
  readers: StreamReader[],
  projects: readonly string[],
  open: (projectId: string) => Promise<StreamReader>,
): Promise<void> {
  const wanted = Array.from({ length: STREAMS }, (_, nth) => projects[nth % projects.length] ?? '');
  const openOneAfterTheOther = async () => {
    for (let projectId = wanted.pop(); projectId !== undefined; projectId = wanted.pop())
      readers.push(await open(projectId));
  };
  await Promise.all(Array.from({ length: OPENING }, openOneAfterTheOther));
  const haveBegun = async () => readers.every(({ start }) => start() !== null);
  await waitUntil(haveBegun, { timeoutMs: LIMIT_MS, message: 'every stream to begin' });
}

/** Every line, once and in order, at each reader. */
async function untilAllArrived(
  db: pg.Client,
  readers: readonly StreamReader[],
  projects: readonly string[],
): Promise<void> {
  const { rows } = await db.query<{ number: string }>(
    'select event_number as number from projects where id = any($1::uuid[])',
    [projects],
  );
  const [newest] = rows.map(({ number }) => Number(number));
  if (newest === undefined || rows.some(({ number }) => Number(number) !== newest))
    throw new Error('the projects do not have the same history');
  const haveAll = async () => readers.every(({ lines }) => lines.at(-1)?.number === newest);
  await waitUntil(haveAll, { timeoutMs: LIMIT_MS, message: 'every line to be everywhere' });
  for (const { start, lines, isOver } of readers) {
    const isWhole = lines.every(({ number }, nth) => number === (start() ?? Number.NaN) + nth + 1);
    if (!isWhole || isOver()) throw new Error('a stream has gaps or repeats, or has ended');
  }
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function warn(line: string): void {
  process.stderr.write(`  ${line}\n`);
}

/** The minimum: one NOTIFY, one connection that listens, no queries and no checks. */
async function measureBareNotify(databaseUrl: string, signal: AbortSignal): Promise<readonly number[]> {
  const [notifier, listener] = [
    new pg.Client({ connectionString: databaseUrl }),
    new pg.Client({ connectionString: databaseUrl }),
  ];
  await Promise.all([notifier.connect(), listener.connect()]);
  const delays: number[] = [];
  try {
    await listener.query('listen bench_events');
    while (!signal.aborted) {
      const notified = once(listener, 'notification', { signal: AbortSignal.timeout(NOTIFY_LIMIT_MS) });
      const began = performance.now();
      await notifier.query(`select pg_notify('bench_events', '')`);
      await notified;
      delays.push(performance.now() - began);
      await sleep(NOTIFY_PAUSE_MS);
    }
    return delays;
  } finally {
    await Promise.all([notifier.end(), listener.end()]);
  }
}

/** One open stream, and when each line of the history came. */
interface StreamReader {
  /** The line it goes on behind. */
  readonly start: () => number | null;
  readonly lines: readonly ArrivedLine[];
  /** Whether it has ended, which none should. */
  readonly isOver: () => boolean;
  close(): void;
}

interface ArrivedLine {
  readonly number: number;
  /** Milliseconds from the moment the change was decided, before it was written, to its arrival here. */
  readonly delayMs: number;
}

/** Every stream has a connection of its own. */
const agent = new Agent({ keepAlive: false });
const OPEN_LIMIT_MS = 30_000;

async function openStream(apiUrl: string, apiKey: string, projectId: string): Promise<StreamReader> {
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${apiKey}` };
  const request = get(`${apiUrl}/v1/projects/${projectId}/events`, { headers, agent });
  const limit = { signal: AbortSignal.timeout(OPEN_LIMIT_MS) };
  const [response] = (await once(request, 'response', limit)) as [IncomingMessage]; // as Node documents it
  if (response.statusCode !== 200) throw new Error(`a stream was answered ${response.statusCode}`);
  const lines: ArrivedLine[] = [];
  let [start, rest, isOver]: [number | null, string, boolean] = [null, '', false];
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const now = performance.timeOrigin + performance.now();
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/m.exec(block) ?? [];
      if (data === undefined) continue;
      const { number, at } = JSON.parse(data) as { number: number; at: string }; // what the API sends
      if (event === 'ready') start = number;
      if (event === 'history') lines.push({ number, delayMs: now - Date.parse(at) });
    }
  });
  for (const event of ['end', 'error']) response.on(event, () => (isOver = true));
  return { start: () => start, lines, isOver: () => isOver, close: () => void response.destroy() };
}
