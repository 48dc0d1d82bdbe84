import { containerBytes, type EdgeConfig } from '../platform/config.js';
import type { SendLimits } from '../sending/pending-writes.js';

/** The limits that one serving process enforces. */
export interface ProcessLimits {
  /** 0 for no limit, like the next one. */
  readonly connectionsPerAddress: number;
  readonly handshakesPerAddress: number;
  readonly connections: number;
  readonly unsent: SendLimits;
}

/** The share of the memory for unsent replies that one address may use: with 64 MiB, enough for 256 slow connections. */
const ADDRESS_SHARE = 1 / 4;
/** A process needs so much for unsent replies, however many there are. */
const MIN_UNSENT_BYTES = 8 * 1024 * 1024;

/** Open connections of both listeners of a process together. The limit per address is a setting. */
const MAX_CONNECTIONS = 10_000;
/** Memory of an idle HTTP/2 connection; 88 KiB were measured. */
const CONNECTION_BYTES = 128 * 1024;
/** Memory of the rest of the program, for each process: a container of 512 MiB has room for 2 048 connections of one. */
const BASE_BYTES = 256 * 1024 * 1024;

/** Divides the limits of the edge among its processes, which count for themselves: asking another one would cost more. */
export function limitsOf(config: EdgeConfig, processes: number): ProcessLimits {
  const unsentBytes = Math.max((config.EDGE_MAX_UNSENT_MIB * 1024 * 1024) / processes, MIN_UNSENT_BYTES);
  return {
    connectionsPerAddress: shareOf(config.EDGE_MAX_CONNECTIONS_PER_ADDRESS, processes),
    handshakesPerAddress: shareOf(config.EDGE_HANDSHAKES_PER_ADDRESS, processes),
    connections: maxConnections(containerBytes(), processes),
    unsent: {
      totalBytes: unsentBytes,
      bytesPerAddress: seesVisitorAddresses(config) ? unsentBytes * ADDRESS_SHARE : Infinity,
    },
  };
}

/**
 * The part of a limit per address that one of several processes enforces. The kernel spreads the connections of an address at
 * random, so each process grants three standard deviations more than an equal part: an address below the limit is practically
 * never refused, and one beyond it gets at most that much more.
 */
export function shareOf(limit: number, processes: number): number {
  const equal = limit / processes;
  return processes === 1 ? limit : Math.min(limit, Math.ceil(equal + 3 * Math.sqrt(equal)));
}

/**
 * The connections of each of several processes.
 * @param memoryBytes available to all of them: the container's limit, or next to infinite
 */
export function maxConnections(memoryBytes: number, processes: number): number {
  const affordable = Math.floor((memoryBytes / processes - BASE_BYTES) / CONNECTION_BYTES);
  return Math.min(MAX_CONNECTIONS, Math.max(affordable, MAX_CONNECTIONS / 10));
}

/** False behind a load balancer, where all visitors have its address. */
export function seesVisitorAddresses({ EDGE_MAX_CONNECTIONS_PER_ADDRESS: maxPerAddress }: EdgeConfig): boolean {
  return maxPerAddress > 0;
}
