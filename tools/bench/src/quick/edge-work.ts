import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareNode } from '../edge/bare-node.js';
import { nameOf } from '../edge/certificate-set.js';
import type { Ground, Serving } from '../edge/contestant.js';
import { drive, type Load } from '../edge/driver.js';
import { startAndWait } from '../edge/first-answer.js';
import { prepareGround } from '../edge/ground.js';
import { ourEdge } from '../edge/our-edge.js';
import { processTree } from '../engine/cpu.js';
import { countAllocated, heapProbe } from './allocations.js';
import { measurePairs } from './pairs.js';
import type { Report } from './reading.js';
import { countSystemCalls, traced } from './system-calls.js';
import { openVisitor } from './visitor.js';

/** As few as the certificates are made for at once. */
const NAMES = 1_000;
const WARM_UP_REQUESTS = 3_000;
const COUNTED_REQUESTS = 500;
const WARM_UP_SECONDS = 4;
const SECONDS = 2;

const loads: Readonly<Record<string, (seconds: number) => Load>> = {
  'edge-handshake': (seconds) => ({ kind: 'handshakes', names: NAMES, seconds }),
  'edge-http1': (seconds) => ({ kind: 'http1', names: NAMES, seconds }),
  'edge-http2': (seconds) => ({ kind: 'http2', names: NAMES, seconds }),
};

/** A request to an edge: system calls and allocated bytes, and the CPU time beside that of a bare Node server. */
export async function measureEdge(report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-bench-quick-'));
  const servings: Serving[] = [];
  try {
    const ground = await prepareGround(folder, NAMES);
    const probes = join(folder, 'probes');
    const start = async (contestant: typeof ourEdge) => {
      const { serving } = await startAndWait(contestant, ground, NAMES);
      servings.push(serving);
      return serving;
    };
    const edge = await start({
      ...ourEdge,
      start: (given, names) => ourEdge.start(given, names, { NODE_OPTIONS: heapProbe(probes) }),
    });
    await countRequests(ground, edge, probes, report);
    const bare = await start(bareNode);
    for (const [name, load] of Object.entries(loads)) {
      const { rootPem } = ground.set;
      // At the same time on the same processor: whatever slows the machine down slows both.
      const driveBoth = (seconds: number) =>
        Promise.all([edge, bare].map((serving) => drive(serving, rootPem, load(seconds))));
      await driveBoth(WARM_UP_SECONDS);
      const measurePair = async () => {
        const [ours, peer] = await driveBoth(SECONDS);
        return { ours: { node: ours?.cpuAThousand ?? Number.NaN }, peer: { node: peer?.cpuAThousand ?? Number.NaN } };
      };
      await report(await measurePairs(name, measurePair));
    }
  } finally {
    await Promise.all(servings.map((serving) => serving.stop()));
    await rm(folder, { recursive: true, force: true });
  }
}

async function countRequests(ground: Ground, edge: Serving, probes: string, report: Report): Promise<void> {
  const pid = servingProcess(edge.pid);
  const traceOptions = { pid, operations: COUNTED_REQUESTS, file: join(ground.folder, 'strace') };
  for (const protocol of ['http1', 'http2'] as const) {
    const visitor = openVisitor(protocol, { port: edge.port, host: nameOf(0), rootPem: ground.set.rootPem });
    try {
      await visitor.get(WARM_UP_REQUESTS);
      const get = () => visitor.get(COUNTED_REQUESTS);
      const bytes = await countAllocated(pid, probes, get);
      await report([
        { kind: 'count', name: `edge-${protocol}/allocated-bytes`, value: bytes / COUNTED_REQUESTS },
        await traced(`edge-${protocol}/system-calls`, () => countSystemCalls(traceOptions, get)),
      ]);
    } finally {
      visitor.close();
    }
  }
}

/** The process of an edge that answers visitors: the feed process is another one. */
function servingProcess(edgePid: number): number {
  const pid = processTree(edgePid).find((each) =>
    readFileSync(`/proc/${each}/cmdline`, 'utf8').includes('serving-main'),
  );
  if (pid === undefined) throw new Error('the edge has no serving process');
  return pid;
}
