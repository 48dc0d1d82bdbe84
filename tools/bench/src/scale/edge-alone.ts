import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { nameOf } from '../edge/certificate-set.js';
import { drive } from '../edge/contestant.js';
import { routeOf } from '../edge/feed-fixture.js';
import { visitorAddress } from '../edge/visitors.js';
import { median, quantile, type Figure } from '../figure.js';
import { ASKED_NAMES, EDGE_NAMES, SERVED_NAMES } from '../settings.js';
import { ScaleEdge, type ScaleGround } from './scale-edge.js';

const RESTARTS = 3;
const REMOVALS = 2_000;
const WARM_UP_REMOVALS = 200;
const REMOVAL_PAUSE_MS = 2;
const VISITED_NAMES = 1_000;
const ROUNDS = 5;
const CHANGE_INTERVAL_MS = 100;
const BYTES_A_KB = 1_024;

/** One edge with all names: ready times, removals with what they write, and visitors while the table changes. */
export async function measureEdge(ground: ScaleGround): Promise<Figure[]> {
  const { edge, readyMs } = await ScaleEdge.start(ground, EDGE_NAMES, { name: 'alone', processes: 1 });
  try {
    print(
      `${EDGE_NAMES} names: ready from an empty disk after ${readyMs.toFixed(0)} ms, ${edge.memoryMb().toFixed(0)} MB`,
    );
    const restarts: number[] = [];
    for (let round = 0; round < RESTARTS; round++) restarts.push(await edge.restartAfterKill());
    print(`ready from its own store after ${restarts.map((ms) => ms.toFixed(0)).join(', ')} ms`);
    const empty: Figure = { name: 'scale/ready-empty-disk-s', ratio: readyMs / 1_000, bar: 15, isMaximum: true };
    const own: Figure = { name: 'scale/ready-own-store-s', ratio: median(restarts) / 1_000, bar: 2, isMaximum: true };
    return [...(await measureRemovals(edge)), await measureVisitors(ground, edge), empty, own];
  } finally {
    await edge.stop();
  }
}

async function measureRemovals(edge: ScaleEdge): Promise<Figure[]> {
  await removeNames(edge, WARM_UP_REMOVALS);
  const before = edge.writtenBytes();
  const times = await removeNames(edge, REMOVALS);
  const kilobytes = (edge.writtenBytes() - before) / BYTES_A_KB / REMOVALS;
  print(`${REMOVALS} removals: ${describeTimes(times)}, ${kilobytes.toFixed(1)} KB written each`);
  return [
    { name: 'scale/removal-p99-ms', ratio: quantile(times, 0.99), bar: 50, isMaximum: true },
    { name: 'scale/written-a-change-kb', ratio: kilobytes, bar: 24, isMaximum: true },
  ];
}

/** Removes names that nobody visits. @returns the milliseconds to each acknowledgement */
export async function removeNames(edge: ScaleEdge, count: number, names = EDGE_NAMES): Promise<number[]> {
  const times: number[] = [];
  for (let removed = 0; removed < count; removed++) {
    times.push(await edge.api.publish(nameOf(unvisited(names)), null));
    await sleep(REMOVAL_PAUSE_MS);
  }
  return times;
}

async function measureVisitors(ground: ScaleGround, edge: ScaleEdge): Promise<Figure> {
  const load = { kind: 'hits', first: 0, names: Math.min(VISITED_NAMES, SERVED_NAMES) } as const;
  const visit = async () => (await drive(edge, ground.set.rootPem, load)).latencies ?? [];
  await visit(); // opens every certificate and warms up the program
  const [quiet, changing]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    quiet.push(...(await visit()));
    const over = new AbortController();
    const publishing = publishUntil(edge, over.signal);
    changing.push(...(await visit()));
    over.abort();
    await publishing;
  }
  print(`visitors, quiet: ${describeTimes(quiet)}`);
  print(`visitors, ten changes a second: ${describeTimes(changing)}`);
  const ratio = quantile(changing, 0.99) / quantile(quiet, 0.99);
  return { name: 'scale/visitor-p99-changing/quiet', ratio, bar: 1.5, isMaximum: true };
}

async function publishUntil(edge: ScaleEdge, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const index = unvisited(EDGE_NAMES);
    await edge.api.publish(nameOf(index), { ...routeOf(index), answersChallenges: false });
    await sleep(CHANGE_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function unvisited(names: number): number {
  const visited = Math.min(SERVED_NAMES, names / 2);
  return visited + Math.floor(Math.random() * (names - visited));
}

export function describeTimes(times: readonly number[]): string {
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, longest ${Math.max(...times).toFixed(1)} ms`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Some may be asked for twice. */
const MAX_FETCHES = ASKED_NAMES * 1.1;
const MAX_PAUSE_MS = 50;

/** One edge without certificates on its disk: what it fetches, and how long it blocks, when some thousand are asked for. */
export async function measureCertificates(ground: ScaleGround): Promise<Figure[]> {
  const { edge } = await ScaleEdge.start(ground, EDGE_NAMES, { name: 'certificates', processes: 1 });
  try {
    print(`longest pause of an event loop until it is ready: ${(await edge.longestPauseMs()).toFixed(0)} ms`);
    const load = { kind: 'each', first: SERVED_NAMES, names: ASKED_NAMES } as const;
    const { ms } = await drive(edge, ground.set.rootPem, load);
    const pauseMs = await edge.longestPauseMs();
    const fetches = await edge.counter('edge_certificate_fetches_total');
    print(
      `${ASKED_NAMES} of ${EDGE_NAMES} certificates asked for in ${(ms / 1_000).toFixed(1)} s: ` +
        `${fetches} fetches, longest pause ${pauseMs.toFixed(0)} ms`,
    );
    return [
      { name: 'scale/certificate-fetches', ratio: fetches, bar: MAX_FETCHES, isMaximum: true },
      { name: 'scale/certificate-pause-ms', ratio: pauseMs, bar: MAX_PAUSE_MS, isMaximum: true },
    ];
  } finally {
    await edge.stop();
  }
}

/** Bytes that the edge counts for an open certificate with a chain of 1 KB (`apps/edge/src/tls/secure-contexts.ts`). */
const CONTEXT_BYTES = 37 * 1_024;
const FEW_CONTEXTS = 2_000;
const LOOKUPS = 'edge_certificate_lookups_total';

interface Memory {
  readonly megabytes: number;
  readonly hits: number;
}

/** One edge with all names, of which some thousand are visited twice: with memory for the certificates of all, and of few. */
export async function measureMemory(ground: ScaleGround): Promise<Figure[]> {
  const all = await visit(ground, 'memory-all', SERVED_NAMES * 1.2);
  const few = await visit(ground, 'memory-few', FEW_CONTEXTS);
  return [
    { name: 'scale/memory-mb', ratio: all.megabytes, bar: 700, isMaximum: true },
    { name: 'scale/memory-context-hits', ratio: all.hits, bar: 0.95 },
    { name: 'scale/memory-2000-contexts-mb', ratio: few.megabytes, bar: 300, isMaximum: true },
  ];
}

async function visit(ground: ScaleGround, name: string, contexts: number): Promise<Memory> {
  const environment = { EDGE_CONTEXT_CACHE_BYTES: String(contexts * CONTEXT_BYTES) };
  const { edge } = await ScaleEdge.start(ground, EDGE_NAMES, { name, processes: 1, environment });
  try {
    const load = { kind: 'each', first: 0, names: SERVED_NAMES } as const;
    await drive(edge, ground.set.rootPem, load);
    const before = await lookups(edge);
    await drive(edge, ground.set.rootPem, { ...load, kind: 'hits' });
    const after = await lookups(edge);
    const hits = (after.hits - before.hits) / (after.all - before.all);
    const megabytes = edge.memoryMb();
    const share = `${(hits * 100).toFixed(1)} % of the second visits found their context`;
    process.stdout.write(`${name}: ${megabytes.toFixed(0)} MB with ${SERVED_NAMES} names visited, ${share}\n`);
    return { megabytes, hits };
  } finally {
    await edge.stop();
  }
}

async function lookups(edge: ScaleEdge) {
  return { all: await edge.counter(LOOKUPS), hits: await edge.counter(LOOKUPS, 'result="hit"') };
}

const LIMIT_MS = 10_000;

/**
 * Resumed handshakes are not measured while the edge sends no tickets (docs/decisions/0050-a-million-names.md).
 * @throws Error when it sends them
 */
export async function measureResumption(ground: ScaleGround): Promise<Figure[]> {
  const { edge } = await ScaleEdge.start(ground, SERVED_NAMES, { name: 'resumption', processes: 1 });
  try {
    const tickets = await countTickets(edge.port, ground.set.rootPem);
    if (tickets > 0) throw new Error('the edge sends session tickets: measure what a resumed handshake costs');
    process.stdout.write('resumed handshakes: not measured, the edge does not resume sessions\n');
    return [];
  } finally {
    await edge.stop();
  }
}

/** Tickets that arrive before the end of a response. */
async function countTickets(port: number, ca: string): Promise<number> {
  const host = nameOf(0);
  const from = { localAddress: visitorAddress() }; // Node takes it, its types do not have it
  const socket = connect({ host: '127.0.0.1', port, servername: host, ca, ...from });
  let tickets = 0;
  socket.on('session', () => tickets++);
  socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  socket.resume();
  await once(socket, 'close', { signal: AbortSignal.timeout(LIMIT_MS) });
  return tickets;
}
