import { fileURLToPath } from 'node:url';
import { containerBytes, type EdgeConfig } from '../platform/config.js';
import type { SendLimits } from '../sending/pending-writes.js';

/** The limits that one serving process enforces. */
interface ProcessLimits {
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

/** Options that Node accepts only when it starts a process. */
type Options = readonly (readonly [name: string, value: string])[];

/**
 * Lets the old generation double before it is collected. By default it may grow to four times its size: with 30 MB in
 * use, the heap of a serving process took 140 MB.
 */
const frugal: Options = [['--heap-growing-percent', '100']];

/**
 * Options of a serving process:
 *
 * - After a handshake of TLS 1.3 OpenSSL sends two session tickets even where tickets are switched off; then they are the
 *   names of sessions that nobody keeps, and take an eighth of a handshake's processor time. How many are sent is said in
 *   OpenSSL's configuration.
 * - Connections live for a while. In V8's small nursery (1 MiB at first) many are still there when it is cleared, are kept
 *   among what is old, and hold memory outside of the heap until that is cleared as well. In one of 8 MiB fewer are.
 */
const serving: Options = [
  ['--openssl-config', fileURLToPath(new URL('../../openssl.cnf', import.meta.url))],
  ['--min-semi-space-size', '8'],
  ['--max-semi-space-size', '8'],
  ...frugal,
];

/** The nursery would grow to 16 MiB and more: 230 MB at most instead of 140 MB while a million names are loaded. */
const tableWork: Options = [['--max-semi-space-size', '4'], ...frugal];

/** The options of a serving process. */
export function servingOptions(): readonly string[] {
  return withInherited(serving);
}

/** The options of a table process. */
export function tableWorkOptions(): readonly string[] {
  return withInherited(tableWork);
}

/** Adds the options of this process, which somebody has chosen. Only one process can have the port of the inspector. */
function withInherited(options: Options): readonly string[] {
  const inherited = process.execArgv.filter((argument) => !argument.startsWith('--inspect'));
  const isChosen = (name: string) => inherited.some((argument) => argument.split('=')[0] === name);
  return [...options.filter(([name]) => !isChosen(name)).map(([name, value]) => `${name}=${value}`), ...inherited];
}
