import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Serving } from '../edge/contestant.js';
import { threadCpuSeconds } from '../engine/processes.js';

/** A request of the driver. */
export interface Asked {
  readonly protocol: 'http1' | 'http2';
  /** Bytes of the body that is sent; 0 for GET. */
  readonly sentBytes: number;
  /** Bytes of the answer. */
  readonly bytes: number;
}

/** Requests on open connections with random names, for some seconds. */
export interface OriginLoad extends Asked {
  readonly names: number;
  readonly seconds: number;
  /** Connections; of HTTP/2, with eight streams each. */
  readonly connections: number;
}

export interface OriginOrder {
  readonly port: number;
  readonly rootPem: string;
  readonly load: OriginLoad;
}

export interface OriginSeen {
  readonly count: number;
  readonly ms: number;
  /** Milliseconds of each request, with one connection. */
  readonly latencies: readonly number[];
}

export interface OriginMeasured extends OriginSeen {
  /** CPU seconds of all processes of the server per thousand requests. */
  readonly cpuAThousand: number;
}

const LIMIT_MS = 120_000;

/**
 * Runs a load in a process of its own, on this process's processor.
 * @throws Error when an answer was wrong
 */
export async function driveOrigin({ pid, port }: Serving, rootPem: string, load: OriginLoad): Promise<OriginMeasured> {
  const program = fileURLToPath(new URL('origin-driver-main.js', import.meta.url));
  const order: OriginOrder = { port, rootPem, load };
  const before = threadCpuSeconds(pid);
  const options = { timeout: LIMIT_MS, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(order)], options);
  const seen = JSON.parse(stdout) as OriginSeen; // written by the driver
  return { ...seen, cpuAThousand: ((threadCpuSeconds(pid) - before) * 1_000) / seen.count };
}
