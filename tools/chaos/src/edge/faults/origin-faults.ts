import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { askOnce, removeUnderStreams, type Visited } from '@pets/bench/edge';
import { waitUntil } from '@pets/testing/processes';
import type { RecoveredMs } from '../../round.js';
import { servingPids } from '../edge-chaos-fixture.js';
import { servedByAll, type Fault, type Outcome, type Scene } from './scene.js';

type Status = Visited['status'];
/** Answers that visitors of a failing application may get, by path. */
type Expected = Readonly<Record<string, readonly Status[]>>;

const stalls: Expected = {
  '/stall-before-head': [504],
  '/stall-in-head': [504],
  '/stall-in-body': ['cut'],
};
const breaks: Expected = {
  '/reset': [502],
  '/reset-in-body': ['cut'],
  '/close': [502],
  '/close-in-head': [502],
  '/shorter-than-announced': ['cut'],
  '/chunk-shorter-than-announced': ['cut'],
};
const wrongs: Expected = {
  '/longer-than-announced': [200],
  '/two-lengths': [502],
  '/garbage': [502],
  '/unasked-101': [502],
  '/redirect': [302],
  '/endless-head': [502],
};

/** How long visitors of the failing application ask. */
const ASKED_MS = 5_000;
/** Visitors of each path, protocol and edge. */
const ASKERS = 2;
const PAUSE_MS = 50;
/** How long the process is away: the edges look for it after 1, 2 and 4 s. */
const AWAY_MS = 5_000;
const RECOVERY_LIMIT_MS = 40_000;
/** The memory of the smallest container that the page of operations recommends. */
const MEMORY_LIMIT_BYTES = 512 * 1024 * 1024;

export const originFaults: Readonly<Record<string, Fault>> = {
  'origin-stalls': answering(stalls),
  'origin-breaks-off': answering(breaks),
  'origin-answers-wrongly': answering(wrongs),
  'kill-origin': (scene) =>
    besideOthers(scene, async () => {
      const { process } = scene.applications.failing;
      const asking = ask(scene, { '/': [200, 502, 'cut'] }, AWAY_MS + ASKED_MS);
      await sleep(scene.random.between(0, ASKED_MS / 2));
      await process.kill();
      await sleep(AWAY_MS);
      process.start();
      return asking;
    }),
  'removal-of-streams': async (scene) => {
    const { fixture, crowd } = scene;
    const site = await scene.spare();
    await servedByAll(scene);
    const { status, visitorBytes, originBytes } = await removeUnderStreams(fixture.stack, site, fixture.rootPem);
    const seen = [
      ...(status === 204 ? [] : [`DELETE was answered ${status}`]),
      ...(visitorBytes === 0 ? [] : [`visitors got ${visitorBytes} bytes after the answer`]),
      ...(originBytes === 0 ? [] : [`the application got ${originBytes} bytes after the answer`]),
    ];
    await crowd.forget([site]);
    return { seen, unserved: await servedByAll(scene), recoveredMs: null };
  },
};

/** Visitors of the failing application ask for failures. */
function answering(expected: Expected): Fault {
  return (scene) => besideOthers(scene, () => ask(scene, expected, ASKED_MS));
}

/** Checks that nobody else sees anything of a failing application, and that it is served again as soon as it is well. */
async function besideOthers(scene: Scene, task: () => Promise<readonly string[]>): Promise<Outcome> {
  const { fixture, crowd } = scene;
  await servedByAll(scene);
  const before = { failed: crowd.failed.length, pids: fixture.edges.map(servingPids) };
  const seen = await task();
  const since = Date.now();
  const recoveredMs = await recovered(scene, since);
  const unserved = [...(await servedByAll(scene)), ...crowd.failed.slice(before.failed)];
  const replaced = fixture.edges.flatMap((edge, index) =>
    String(servingPids(edge)) === String(before.pids[index]) ? [] : [`a serving process of edge ${index} was replaced`],
  );
  const large = fixture.edges
    .flatMap(servingPids)
    .map(residentBytes)
    .filter((bytes) => bytes > MEMORY_LIMIT_BYTES);
  const memory = large.map((bytes) => `a serving process has ${Math.round(bytes / 1024 ** 2)} MiB`);
  return { seen: [...seen, ...replaced, ...memory], unserved, recoveredMs };
}

/** Waits until the failing application is served through every edge. */
async function recovered(scene: Scene, since: number): Promise<RecoveredMs> {
  const { site } = scene.applications.failing;
  const isServed = async () => {
    const answers = await Promise.all(places(scene).map(({ place, protocol }) => askOnce(place, '/', protocol)));
    return answers.every(({ status, body }) => status === 200 && body === site.body);
  };
  return waitUntil(isServed, { timeoutMs: RECOVERY_LIMIT_MS }).then(
    () => Date.now() - since,
    (): RecoveredMs => 'never',
  );
}

/** Asks for each path through each edge, again and again. @returns answers that were not expected */
async function ask(scene: Scene, expected: Expected, forMs: number): Promise<readonly string[]> {
  const until = Date.now() + forMs;
  const unexpected = new Map<string, number>();
  const counts = new Map<string, number>();
  const askers = places(scene).flatMap(({ place, protocol }) =>
    Object.entries(expected).flatMap(([path, statuses]) =>
      Array.from({ length: ASKERS }, async () => {
        while (Date.now() < until) {
          const { status } = await askOnce(place, path, protocol);
          counts.set(path, (counts.get(path) ?? 0) + 1);
          const what = `${path} was answered ${status} over ${protocol}`;
          if (!statuses.includes(status)) unexpected.set(what, (unexpected.get(what) ?? 0) + 1);
          await sleep(PAUSE_MS);
        }
      }),
    ),
  );
  await Promise.all(askers);
  return [...unexpected].map(([what, count]) => `${what} (${count} of ${counts.get(what.split(' ', 1)[0] ?? '')})`);
}

function places({ fixture: { edges, rootPem }, applications }: Scene) {
  const { host } = applications.failing.site;
  return edges.flatMap(({ httpsPort: port }) =>
    (['http1', 'http2'] as const).map((protocol) => ({ place: { host, port, rootPem }, protocol })),
  );
}

function residentBytes(pid: number): number {
  const [, kib = '0'] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}
