import { startSpan, type StartedSpan } from '@pets/platform';
import type { FeedBatch } from './route-table.js';

/** More traces than this in one batch are a heap that nobody looks through; the others end at the API. */
const MAX_TRACES_A_BATCH = 64;

interface OpenSpans {
  readonly epoch: string;
  readonly version: number;
  readonly spans: readonly StartedSpan[];
}

/**
 * The last step of a trace: a change has reached this edge. One span `edge.apply` for each trace that a batch names, from
 * the batch to the acknowledgement that the API took: by then it is applied, on disk, and its certificates are at hand.
 */
export class ChangeTraces {
  #open: OpenSpans[] = [];

  constructor(private readonly edgeId: string) {}

  /** @returns how to do something as a part of the change, where the batch is of one trace */
  begin(batch: FeedBatch): <T>(work: () => T) => T {
    const { epoch, version } = batch;
    const traces = tracesIn(batch);
    const spans = [...traces].map(([parent, hosts]) => {
      const attributes = { 'pets.edge.id': this.edgeId, 'pets.feed.version': version, 'pets.feed.hosts': [...hosts] };
      return startSpan('edge.apply', { kind: 'internal', parent, attributes });
    });
    if (spans.length > 0) this.#open.push({ epoch, version, spans });
    const [only, ...others] = spans;
    return (work) => (only === undefined || others.length > 0 ? work() : only.run(work));
  }

  /** The API took an acknowledgement. What was open of another epoch is of a database that is gone. */
  acknowledged({ epoch, version }: { readonly epoch: string; readonly version: number }): void {
    if (this.#open.length === 0) return;
    const isOver = (open: OpenSpans) => open.epoch === epoch && open.version <= version;
    for (const { spans } of this.#open.filter(isOver)) for (const span of spans) span.end();
    this.#open = this.#open.filter((open) => !isOver(open));
  }

  /** No acknowledgement of what is open will come. */
  giveUp(reason: string): void {
    for (const { spans } of this.#open.splice(0)) for (const span of spans) span.end(reason);
  }
}

/**
 * The hosts of each trace. The states of a reset are of any age; and what is newer than the batch comes again with the next
 * one, which is when it counts.
 */
export function tracesIn({ reset, version, entries }: FeedBatch): ReadonlyMap<string, readonly string[]> {
  const traces = new Map<string, string[]>();
  if (reset) return traces;
  for (const entry of entries) {
    const { traceparent, host } = entry;
    if (traceparent === undefined || entry.version > version) continue;
    const hosts = traces.get(traceparent);
    if (hosts !== undefined) hosts.push(host);
    else if (traces.size < MAX_TRACES_A_BATCH) traces.set(traceparent, [host]);
  }
  return traces;
}
