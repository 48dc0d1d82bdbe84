import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { EdgeRoute } from '@pets/contracts';
import { waitUntil } from '@pets/testing/processes';
import { cpuSeconds } from '../engine/processes.js';
import { nameOf, openCertificateSet, type CertificateSet } from './certificate-set.js';

/** The files and certificates that all servers use. */
export interface Ground {
  readonly set: CertificateSet;
  /** The folder of this run. */
  readonly folder: string;
  /** Contains `index.html`, the file that all servers serve. */
  readonly siteFolder: string;
  /** Rules of the site, which only our edge knows. */
  readonly rules?: Buffer | undefined;
  /** Routes of our edge; by default, every name shows the site. */
  readonly routes?: Iterable<readonly [string, EdgeRoute]> | undefined;
}

/** A server that was started; the caller checks whether it serves already. */
export interface Serving {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

export interface Contestant {
  readonly name: string;
  /** The maximum number of names that it is tested with. */
  readonly mostNames: number;
  /** Starts with the given number of names on the server's processor. @param env more of our edge's environment */
  start(ground: Ground, names: number, env?: Readonly<Record<string, string>>): Promise<Serving>;
}

const FILE_BYTES = 10_240;

/** The certificates of so many names, and the site that every server serves. */
export async function prepareGround(folder: string, names: number): Promise<Ground> {
  const began = performance.now();
  const set = await openCertificateSet(names);
  process.stdout.write(`${names} certificates ready after ${((performance.now() - began) / 1_000).toFixed(1)} s\n`);
  const siteFolder = join(folder, 'site');
  await mkdir(siteFolder);
  const text = '<!doctype html><title>Bench</title>\n'.padEnd(FILE_BYTES, 'All animals are equal. ');
  await writeFile(join(siteFolder, 'index.html'), text);
  return { set, folder, siteFolder };
}

const START_LIMIT_MS = 90_000;
const POLL_INTERVAL_MS = 10;

/** Starts a server and waits until it serves. @returns how long that took, from before the process was there */
export async function startAndWait(
  contestant: Contestant,
  ground: Ground,
  names: number,
): Promise<{ readonly serving: Serving; readonly ms: number }> {
  const serving = await contestant.start(ground, names);
  return { serving, ms: await untilServing(serving, names) };
}

/** Polls until the last name is served. @returns how long that took */
export async function untilServing({ port }: Serving, names: number): Promise<number> {
  const began = performance.now();
  const message = `${names} names to be served`;
  await waitUntil(() => answers(port, nameOf(names - 1)), {
    timeoutMs: START_LIMIT_MS,
    intervalMs: POLL_INTERVAL_MS,
    message,
  });
  return performance.now() - began;
}

function answers(port: number, servername: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false });
    socket.setTimeout(START_LIMIT_MS, () => socket.destroy());
    socket.once('secureConnect', () => socket.write(`GET / HTTP/1.1\r\nHost: ${servername}\r\n\r\n`));
    socket.once('data', (head: Buffer) => {
      resolve(head.toString('latin1').startsWith('HTTP/1.1 200 '));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}

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
