import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Serving } from '../edge/contestant.js';
import { threadCpuSeconds } from '../engine/processes.js';

/** A request of the driver. */
export interface Asked {
  /** `direct` is the application itself: HTTP/1.1 without TLS. */
  readonly protocol: 'http1' | 'http2' | 'direct';
  /** Bytes of the body that is sent; 0 for GET. */
  readonly sentBytes: number;
  /** Bytes of the answer. */
  readonly bytes: number;
}

/** Requests on open connections. */
export interface OriginLoad extends Asked {
  /** Connections; those of HTTP/2 have eight streams. */
  readonly connections: number;
  /** Whether one request follows the other, and each connection the other. */
  readonly isSequential?: true;
  /** Names of the connections: at random, or in order where the requests are. */
  readonly names: readonly [first: number, count: number];
  /** After this time no request is begun; with 0 there is one for each connection. */
  readonly seconds: number;
}

export interface OriginOrder {
  readonly port: number;
  readonly rootPem: string;
  readonly load: OriginLoad;
}

export interface OriginSeen {
  readonly count: number;
  readonly ms: number;
  /** Milliseconds of each request, where they are sequential. */
  readonly latencies: readonly number[];
}

export interface OriginMeasured extends OriginSeen {
  /** CPU seconds of all processes of the server per thousand requests. */
  readonly cpuAThousand: number;
}

const LIMIT_MS = 300_000;

/**
 * Runs a load in a process of its own, on this process's processor.
 * @throws Error when an answer was wrong
 */
export async function driveOrigin(
  { pid, port }: Pick<Serving, 'pid' | 'port'>,
  rootPem: string,
  load: OriginLoad,
): Promise<OriginMeasured> {
  const program = fileURLToPath(new URL('origin-driver-main.js', import.meta.url));
  const order: OriginOrder = { port, rootPem, load };
  const before = threadCpuSeconds(pid);
  const options = { timeout: LIMIT_MS, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(order)], options);
  const seen = JSON.parse(stdout) as OriginSeen; // written by the driver
  return { ...seen, cpuAThousand: ((threadCpuSeconds(pid) - before) * 1_000) / seen.count };
}

/** Connections that stay open: WebSockets, or requests that are not answered. */
export interface HoldingOrder {
  readonly port: number;
  readonly kind: 'websocket' | 'request';
  readonly connections: number;
  readonly names: readonly [first: number, count: number];
}

/** Opens connections in a process of its own. Resolves when all are open. @returns a function that ends them */
export async function hold(order: HoldingOrder): Promise<() => Promise<void>> {
  const program = fileURLToPath(new URL('holding-main.js', import.meta.url));
  const child = fork(program, [JSON.stringify(order)], { timeout: LIMIT_MS });
  const ended = once(child, 'exit');
  const [opened] = (await Promise.race([once(child, 'message'), ended])) as unknown[];
  if (opened !== 'open') throw new Error(`the connections could not be opened: ${String(opened)}`);
  return async () => {
    child.disconnect();
    await ended;
  };
}
