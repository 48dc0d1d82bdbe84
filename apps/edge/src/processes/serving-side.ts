import type { MetricValues } from '@pets/platform';
import type { ServingProcesses } from '../feed/serving-processes.js';

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
