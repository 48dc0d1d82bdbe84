import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, type ClientHttp2Session } from 'node:http2';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '@pets/testing/processes';
import { nameOf } from '../edge/certificate-set.js';
import { drive, prepareGround, startAndWait, type Ground, type Load, type Serving } from '../edge/contestant.js';
import { ourEdge } from '../edge/our-edge.js';
import { bareNode } from '../edge/peers.js';
import { processTree } from '../engine/processes.js';
import { measurePairs, type Report } from './reading.js';
import { countSystemCalls, traced } from './system-calls.js';

/** The smallest number that certificates are made for at once. */
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

/** One connection to a server, on which one request follows the other. */
interface Visitor {
  /** Sends requests for `/` and reads each answer to its end. @throws Error for another status than 200 */
  get(requests: number): Promise<void>;
  close(): void;
}

interface Destination {
  readonly port: number;
  readonly host: string;
  readonly rootPem: string;
}

const LIMIT_MS = 10_000;

function openVisitor(protocol: 'http1' | 'http2', destination: Destination): Visitor {
  return protocol === 'http1' ? openHttp1(destination) : openHttp2(destination);
}

function openHttp1({ port, host, rootPem }: Destination): Visitor {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: rootPem });
  const getOne = () =>
    new Promise<void>((resolve, reject) => {
      const options = {
        agent,
        port,
        host: '127.0.0.1',
        servername: host,
        headers: { host },
        timeout: LIMIT_MS,
      } as const;
      const sent = request(options, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${host} answered ${response.statusCode ?? 0}`));
        response.resume().once('end', resolve).once('error', reject);
      });
      sent.once('timeout', () => sent.destroy(new Error(`${host} did not answer`)));
      sent.once('error', reject).end();
    });
  return { get: repeat(getOne), close: () => agent.destroy() };
}

function openHttp2({ port, host, rootPem }: Destination): Visitor {
  const session = connect(`https://127.0.0.1:${port}`, { ca: rootPem, servername: host });
  return { get: repeat(() => getStream(session, host)), close: () => session.destroy() };
}

async function getStream(session: ClientHttp2Session, host: string): Promise<void> {
  const stream = session.request({ ':path': '/', ':authority': host });
  const signal = AbortSignal.timeout(LIMIT_MS);
  const [headers] = (await once(stream, 'response', { signal })) as [{ readonly ':status'?: number }]; // as Node documents it
  if (headers[':status'] !== 200) throw new Error(`${host} answered ${headers[':status'] ?? 0}`);
  const ended = once(stream, 'end', { signal });
  stream.resume();
  await ended;
}

function repeat(getOne: () => Promise<void>): (requests: number) => Promise<void> {
  return async (requests) => {
    for (let done = 0; done < requests; done++) await getOne();
  };
}

/** Loads the probe into a process and those that it forks: the value of NODE_OPTIONS. */
function heapProbe(folder: string): string {
  const probe = new URL('heap-probe-main.js', import.meta.url);
  probe.searchParams.set('folder', folder);
  return `--import=${probe.href}`;
}

/** Bytes that a process with the probe puts on its heap during some work. */
async function countAllocated(pid: number, folder: string, work: () => Promise<void>): Promise<number> {
  await mkdir(folder, { recursive: true });
  await signalProbe(pid, folder);
  await work();
  return Number(await signalProbe(pid, folder));
}

async function signalProbe(pid: number, folder: string): Promise<string> {
  const path = join(folder, String(pid));
  await rm(path, { force: true });
  process.kill(pid, 'SIGUSR2');
  return waitUntil(() => readFile(path, 'utf8'), { message: 'the probe to answer', intervalMs: 5 });
}
