import { compareSamples, type SendQueueState, type SendQueueSample } from './minimum-rate.js';
import { readSendQueues } from './tcp-send-queues.js';

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
