import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@pets/testing/processes';
import { quantile, type Figure } from '../figure.js';
import { edgeSettings } from '../settings.js';
import { publishSites, removeSite, startStack, type Site, type Stack } from '@pets/lab';
import { removeUnderStreams, type StreamedRemoval } from './forwarded-streams.js';
import { startVisitor, visitorKinds, type Visitor, type VisitorKind } from './visitors.js';

/**
 * Removes domains while visitors of every kind use every edge. Measures the time from sending the DELETE to its response and
 * to the last byte that a visitor received, and counts the bytes that arrive after the 204. The last domain has an application
 * behind it, whose bytes count as well.
 */

const EDGES = 4;
const { BENCH_EDGE_REMOVALS: REMOVALS } = edgeSettings;
const BUSY_LIMIT_MS = 30_000;
/** Bytes that a download may have read but not decrypted yet: one read of libuv at most. */
const READER_BUFFER_BYTES = 64 * 1024;
/** How long visitors continue to send requests after the removal. */
const REFUSED_MS = 500;

interface Removal {
  readonly answeredMs: number;
  readonly lastByteMs: Readonly<Record<VisitorKind, number>>;
  readonly bytesAfter: number;
}

export async function measureRemovals(): Promise<Figure[]> {
  const stack = await startStack({
    ca: 'pebble',
    processes: ['api', 'worker'],
    edges: EDGES,
    settings: { edge: { EDGE_ALLOW_PRIVATE_ORIGINS: 'true' } },
    onLine: warn,
  });
  try {
    const hosts = Array.from({ length: REMOVALS }, (_, index) => `removal-${index}.example.com`);
    const rootPem = await stack.issuing.pebble.fetchRoot();
    const removals: Removal[] = [];
    for (const site of await publishSites(stack, hosts)) removals.push(await removeUnderVisitors(stack, site, rootPem));
    const [forwarded] = await publishSites(stack, ['forwarded.example.com']);
    if (forwarded === undefined) throw new Error('no site was published');
    return report(removals, await removeUnderStreams(stack, forwarded, rootPem));
  } finally {
    await stack.close();
  }
}

async function removeUnderVisitors(stack: Stack, site: Site, rootPem: string): Promise<Removal> {
  const crowd = gather(stack, site, rootPem);
  try {
    await waitUntil(() => crowd.isBusy(), { timeoutMs: BUSY_LIMIT_MS, message: 'every edge to serve every visitor' });
    const sentAt = performance.now();
    const status = await removeSite(stack, site);
    const answeredMs = performance.now() - sentAt;
    if (status !== 204) throw new Error(`DELETE was answered ${status}`);
    await crowd.countFromNow();
    await sleep(REFUSED_MS);
    if (crowd.wrong.length > 0) throw new Error(crowd.wrong[0]);
    const lastByteMs = (kind: VisitorKind) =>
      Math.max(...crowd.of(kind).map(({ lastByteAt }) => lastByteAt - sentAt), 0);
    const lastByteOfAll = Object.fromEntries(visitorKinds.map((kind) => [kind, lastByteMs(kind)]));
    return {
      answeredMs,
      lastByteMs: lastByteOfAll as Removal['lastByteMs'], // the keys are all kinds
      bytesAfter: crowd.places.reduce((sum, place) => sum + Math.max(place.bytesAfter - place.excused, 0), 0),
    };
  } finally {
    await Promise.all(crowd.places.map(({ visitor }) => visitor.stop()));
  }
}

interface Place {
  readonly kind: VisitorKind;
  readonly visitor: Visitor;
  lastByteAt: number;
  bytesAfter: number;
  /** Bytes that had arrived before counting started and were not read yet. */
  excused: number;
}

/** A visitor of each kind at each edge. */
function gather({ edges }: Stack, site: Site, rootPem: string) {
  const wrong: string[] = [];
  const state = { isCounting: false };
  const places = edges.flatMap(({ httpsPort: port }) =>
    visitorKinds.map((kind) => {
      const onBytes = (bytes: number) => {
        if (state.isCounting) place.bytesAfter += bytes;
        // Bytes that are only read now may have arrived before.
        if (place.bytesAfter === 0 || place.bytesAfter > place.excused) place.lastByteAt = performance.now();
      };
      const visit = { kind, site, port, rootPem, onBytes, onWrong: (what: string) => wrong.push(what) };
      const place: Place = { kind, visitor: startVisitor(visit), lastByteAt: 0, bytesAfter: 0, excused: 0 };
      return place;
    }),
  );
  return {
    wrong,
    places,
    of: (kind: VisitorKind) => places.filter((place) => place.kind === kind),
    isBusy: () => places.every(({ lastByteAt }) => lastByteAt > 0),
    countFromNow: async () => {
      for (const place of places) {
        const unread = place.visitor.unreadBytes();
        if (unread !== undefined) place.excused = READER_BUFFER_BYTES + unread;
      }
      // Bytes that arrived before the response are read in this tick or the next; downloads still pause between reads.
      await nextTick();
      await nextTick();
      state.isCounting = true;
      for (const { visitor } of places) visitor.hurry();
    },
  };
}

function report(removals: readonly Removal[], streamed: StreamedRemoval): Figure[] {
  if (streamed.status !== 204) throw new Error(`DELETE of a forwarded domain was answered ${streamed.status}`);
  const p50 = (values: readonly number[]) => quantile(values, 0.5).toFixed(0);
  const worst = (values: readonly number[]) => Math.max(...values).toFixed(0);
  const answered = removals.map(({ answeredMs }) => answeredMs);
  print(`DELETE to 204: p50 ${p50(answered)} ms, longest ${worst(answered)} ms, ${EDGES} edges`);
  for (const kind of visitorKinds) {
    const last = removals.map(({ lastByteMs }) => lastByteMs[kind]);
    print(`DELETE to the last byte, ${kind}: p50 ${p50(last)} ms, longest ${worst(last)} ms`);
  }
  const ofFiles = removals.reduce((sum, removal) => sum + removal.bytesAfter, 0);
  print(`bytes after the 204: ${ofFiles}, of ${removals.length} removals`);
  const { visitorBytes, originBytes } = streamed;
  print(`bytes of streams after the 204: ${visitorBytes} at visitors, ${originBytes} at the application`);
  const bytesAfter = ofFiles + visitorBytes + originBytes;
  return [{ name: 'edge/nothing-after-204', ratio: bytesAfter === 0 ? 1 : 0, bar: 1 }];
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function warn(line: string): void {
  process.stderr.write(`  ${line}\n`);
}
