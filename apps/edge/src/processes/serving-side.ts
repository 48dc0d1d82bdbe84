import type { MetricValues } from '@pets/platform';
import type { PublishedChange, PublishedTable, ServingProcesses } from '../feed/serving-processes.js';

/**
 * The part of an edge that answers visitors, as the feed process sees it: several processes (`ServingPool`), or, for tests,
 * parts of the same process (`ServingEdge`).
 */
export interface ServingSide extends ServingProcesses {
  /** Accepts connections from now on. Resolves when every process does. @throws Error when a port cannot be used */
  listen(): Promise<void>;
  /** Whether every process accepts connections. */
  readonly isListening: boolean;
  readonly counts: ProcessCounts;
  /**
   * Ends each connection with its next response, for at most `keepAliveMs`. Then stops accepting connections, lets requests
   * in progress finish, and destroys the rest within `DRAIN_LIMIT_MS`.
   */
  drain(keepAliveMs: number): Promise<void>;
  /** The metrics of each process, counters of processes that have ended included. */
  metrics(): Promise<readonly MetricValues[]>;
}

export interface ProcessCounts {
  /** Processes that accept connections. */
  readonly listening: number;
  /** Processes that were started to replace one that had ended. */
  readonly restarts: number;
}

/** How long requests in progress may continue. Leaves time for the deregistration within the 9 s of a stop. */
export const DRAIN_LIMIT_MS = 4_000;

/**
 * Messages between the feed process and a serving process over the IPC channel of `child_process.fork`, as JSON. Both
 * are of the same build, so the messages are not checked. The channel keeps their order.
 */

/** From the feed process. The serving process obeys in order and answers each one. */
export type FeedMessage =
  | { readonly kind: 'table'; readonly table: PublishedTable }
  | { readonly kind: 'change'; readonly change: PublishedChange }
  /** JSON has no undefined, so null ends the lease. */
  | { readonly kind: 'lease'; readonly contactAtMs: number | null }
  /** Accepts connections from now on. */
  | { readonly kind: 'listen' }
  /** Ends its connections as `ServingSide.drain` says, and exits instead of an answer. */
  | { readonly kind: 'drain'; readonly keepAliveMs: number }
  | { readonly kind: 'metrics' }
  /** Only the answer matters. */
  | { readonly kind: 'ping' };

export interface NumberedMessage {
  readonly number: number;
  readonly message: FeedMessage;
}

/** From a serving process. */
export type ServingMessage =
  /** The process has loaded its program, receives messages and serves nothing yet. */
  | { readonly kind: 'started' }
  | { readonly kind: 'done'; readonly number: number; readonly metrics?: MetricValues }
  | { readonly kind: 'damaged'; readonly reason: string }
  | { readonly kind: 'handshake'; readonly host: string }
  | { readonly kind: 'origin'; readonly id: string; readonly isFailing: boolean };
