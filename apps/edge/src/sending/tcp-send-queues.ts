import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { compareSamples, type SendQueueSample, type SendQueueState } from './minimum-rate.js';

/**
 * The data of each connection that the kernel has not sent yet or that the client has not acknowledged (Linux,
 * proc_net_tcp.txt). Node has no API for it, and only this distinguishes a client on a slow network from one that does not read.
 */

const files = ['/proc/net/tcp', '/proc/net/tcp6'] as const;
const IPV4_DIGITS = 8;
const IPV6_DIGITS = 32;

/** @returns bytes by connection key, without unknown connections; empty on other systems */
export async function readSendQueues(wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const file of files) {
    const text = await readFile(file, 'latin1').catch(() => '');
    parseSendQueues(text, wanted, found);
  }
  return found;
}

export function parseSendQueues(text: string, wanted: ReadonlySet<string>, found: Map<string, number>): void {
  // A line: "  12: LOCAL:PORT REMOTE:PORT ST TXQUEUE:RXQUEUE …", all hexadecimal and of fixed width after the number.
  for (const line of text.split('\n')) {
    const start = line.indexOf(': ') + 2;
    const digits = line[start + IPV4_DIGITS] === ':' ? IPV4_DIGITS : IPV6_DIGITS;
    const remote = start + digits + 6;
    const end = remote + digits + 5;
    const key = line.slice(start + digits + 1, end);
    if (wanted.has(key)) found.set(key, Number.parseInt(line.slice(end + 4, end + 12), 16));
  }
}

/** The key of a connection in the kernel's format: local port, remote address and port. Undefined for a closed one. */
export function sendQueueKey({ localPort, remoteAddress, remotePort }: Socket): string | undefined {
  if (localPort === undefined || remoteAddress === undefined || remotePort === undefined) return undefined;
  return `${port(localPort)} ${hexadecimalAddress(remoteAddress)}:${port(remotePort)}`;
}

function port(value: number): string {
  return value.toString(16).toUpperCase().padStart(4, '0');
}

/** Words of 32 bits, each in little-endian order. */
function hexadecimalAddress(address: string): string {
  const bytes = address.includes(':') ? bytesOfIpv6(address) : bytesOfIpv4(address);
  let text = '';
  for (let at = 0; at < bytes.length; at += 4)
    text += bytes
      .subarray(at, at + 4)
      .reverse()
      .toString('hex');
  return text.toUpperCase();
}

function bytesOfIpv4(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

/** The address comes from Node, so it is valid; an embedded IPv4 address follows the last colon. */
function bytesOfIpv6(address: string): Buffer {
  const [text = ''] = address.split('%');
  const [head = '', tail] = text.split('::', 2);
  const groupsOf = (part: string | undefined) =>
    part === undefined || part === '' ? [] : part.split(':').flatMap(hexadecimalGroup);
  const first = groupsOf(head);
  const last = groupsOf(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0000');
  return Buffer.from([...first, ...zeros, ...last].join(''), 'hex');
}

function hexadecimalGroup(group: string): readonly string[] {
  if (!group.includes('.')) return [group.padStart(4, '0')];
  const digits = bytesOfIpv4(group).toString('hex');
  return [digits.slice(0, 4), digits.slice(4)];
}

/** The part of a connection that is monitored. */
export interface MonitoredConnection {
  /** Undefined when the kernel has no information about the connection. */
  readonly sendQueueKey: string | undefined;
  /** Passed to the kernel since the connection was opened. */
  readonly writtenBytes: number;
  /** Start of the latest completed write. */
  readonly latestCompletedStartMs: number;
}

interface Samples {
  readonly first: SendQueueSample;
  readonly last: SendQueueSample;
}

/** The first sample is replaced after this time, so that earlier progress does not excuse a stall. */
const MAX_SPAN_MS = 15_000;

/** Samples the send queues of connections with slow writes, to distinguish a slow network from a client that does not read. */
export class SendQueueMonitor {
  readonly #now: () => number;
  #samples = new Map<MonitoredConnection, Samples>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Samples these connections and drops the samples of all others. Never rejects. */
  async sample(connections: ReadonlySet<MonitoredConnection>): Promise<void> {
    const keys = new Set([...connections].flatMap(({ sendQueueKey }) => sendQueueKey ?? []));
    const queues: ReadonlyMap<string, number> = keys.size === 0 ? new Map() : await readSendQueues(keys);
    const samples = new Map<MonitoredConnection, Samples>();
    for (const connection of connections) {
      const queuedBytes = queues.get(connection.sendQueueKey ?? '');
      if (queuedBytes === undefined) continue;
      const last = { atMs: this.#now(), writtenBytes: connection.writtenBytes, queuedBytes };
      const before = this.#samples.get(connection);
      const isOld = before !== undefined && last.atMs - before.first.atMs > MAX_SPAN_MS;
      samples.set(connection, { first: (isOld ? before.last : before?.first) ?? last, last });
    }
    this.#samples = samples;
  }

  /** If a later write has completed, the network is not the problem: this write waits for the window of its stream. */
  stateOf({
    connection,
    beganAtMs,
  }: {
    readonly connection: MonitoredConnection;
    readonly beganAtMs: number;
  }): SendQueueState {
    if (connection.latestCompletedStartMs > beganAtMs) return 'idle';
    const samples = this.#samples.get(connection);
    return compareSamples(samples?.first, samples?.last);
  }
}
