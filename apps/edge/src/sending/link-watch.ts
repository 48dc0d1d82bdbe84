import { linkBetween, type Link, type LinkSample } from './minimum-rate.js';
import { readSendQueues } from './tcp-send-queues.js';

/** A connection, as far as it matters here. */
export interface WatchedConnection {
  /** Undefined where the kernel does not tell about it. */
  readonly sendQueueKey: string | undefined;
  /** Given to the kernel since the connection began. */
  readonly writtenBytes: number;
  /** When the latest of those writes began that have completed. */
  readonly completedFromMs: number;
}

interface Samples {
  readonly first: LinkSample;
  readonly last: LinkSample;
}

/** A first sample is replaced after so long, so that what a client did before excuses nothing. */
const LONGEST_SPAN_MS = 15_000;

/** Looks at the send queues of connections with slow writes, to tell a slow network from a client that does not read. */
export class LinkWatch {
  #samples = new Map<WatchedConnection, Samples>();

  constructor(private readonly now: () => number) {}

  /** Looks at these, and forgets all others. Never rejects. */
  async sample(connections: ReadonlySet<WatchedConnection>): Promise<void> {
    const keys = new Set([...connections].flatMap(({ sendQueueKey }) => sendQueueKey ?? []));
    const queues: ReadonlyMap<string, number> = keys.size === 0 ? new Map() : await readSendQueues(keys);
    const samples = new Map<WatchedConnection, Samples>();
    for (const connection of connections) {
      const queuedBytes = queues.get(connection.sendQueueKey ?? '');
      if (queuedBytes === undefined) continue;
      const last = { atMs: this.now(), writtenBytes: connection.writtenBytes, queuedBytes };
      const before = this.#samples.get(connection);
      const isOld = before !== undefined && last.atMs - before.first.atMs > LONGEST_SPAN_MS;
      samples.set(connection, { first: (isOld ? before.last : before?.first) ?? last, last });
    }
    this.#samples = samples;
  }

  /** Where one that began later has completed, the network took it: what this one waits for is a window of its own. */
  linkOf({ connection, beganAtMs }: { readonly connection: WatchedConnection; readonly beganAtMs: number }): Link {
    if (connection.completedFromMs > beganAtMs) return 'idle';
    const samples = this.#samples.get(connection);
    return linkBetween(samples?.first, samples?.last);
  }
}
