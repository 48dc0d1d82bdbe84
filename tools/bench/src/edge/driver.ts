import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cpuSeconds } from '../engine/processes.js';
import type { Serving } from './contestant.js';

/** The load that a driver generates. Names are numbers for `nameOf`. */
export type Load =
  /** Full handshakes with random names, or one with each name from `first` on. */
  | { readonly kind: 'handshakes'; readonly names: number; readonly seconds: number }
  | { readonly kind: 'each'; readonly first: number; readonly names: number }
  /** One request on a new connection for each name from `first` on, sequentially. */
  | { readonly kind: 'hits'; readonly first: number; readonly names: number }
  /** Requests on open connections. */
  | { readonly kind: 'http1' | 'http2'; readonly names: number; readonly seconds: number };

export interface Order {
  readonly port: number;
  readonly rootPem: string;
  readonly load: Load;
}

/** The results of a driver. */
export interface Seen {
  /** Handshakes or requests. */
  readonly count: number;
  readonly ms: number;
  /** Milliseconds to the last byte of each response; for `hits` only. */
  readonly latencies?: readonly number[];
}

export interface Measured extends Seen {
  /** CPU seconds of the server per thousand. */
  readonly cpuAThousand: number;
}

const LIMIT_MS = 300_000;

/**
 * Runs a load in a process of its own, on this process's processor.
 * @throws Error when a response was wrong: a refusal is fast and would count as speed
 */
export async function drive({ pid, port }: Serving, rootPem: string, load: Load): Promise<Measured> {
  const program = fileURLToPath(new URL('driver-main.js', import.meta.url));
  const order: Order = { port, rootPem, load };
  const before = cpuSeconds(pid);
  const options = { timeout: LIMIT_MS, maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(order)], options);
  const seen = JSON.parse(stdout) as Seen; // written by the driver
  return { ...seen, cpuAThousand: ((cpuSeconds(pid) - before) * 1_000) / seen.count };
}
