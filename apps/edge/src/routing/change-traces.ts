import { startSpan, type StartedSpan } from '@pets/platform';
import type { FeedBatch } from './route-table.js';

/** The traces of one batch that the edge records; the others end at the API. */
const MAX_TRACES_PER_BATCH = 64;

interface OpenSpans {
  readonly epoch: string;
  readonly version: number;
  readonly spans: readonly StartedSpan[];
}

/**
 * The last step of a trace: a change reached this edge. Creates one span `edge.apply` for each trace in a batch, from the
 * batch to the accepted acknowledgement: by then the change is applied and on disk, and its certificates are available.
 */
export class ChangeTraces {
  readonly #edgeId: string;
  #open: OpenSpans[] = [];

  constructor(edgeId: string) {
    this.#edgeId = edgeId;
  }

  /** @returns runs work as part of the change, if the batch belongs to one trace */
  begin(batch: FeedBatch): <T>(work: () => T) => T {
    const { epoch, version } = batch;
    const traces = tracesIn(batch);
    const spans = [...traces].map(([parent, hosts]) => {
      const attributes = { 'pets.edge.id': this.#edgeId, 'pets.feed.version': version, 'pets.feed.hosts': [...hosts] };
      return startSpan('edge.apply', { kind: 'internal', parent, attributes });
    });
    if (spans.length > 0) this.#open.push({ epoch, version, spans });
    const [only, ...others] = spans;
    return (work) => (only === undefined || others.length > 0 ? work() : only.run(work));
  }

  /** The API accepted an acknowledgement. Spans of another epoch belong to a database that no longer exists. */
  acknowledged({ epoch, version }: { readonly epoch: string; readonly version: number }): void {
    if (this.#open.length === 0) return;
    const isOver = (open: OpenSpans) => open.epoch === epoch && open.version <= version;
    for (const { spans } of this.#open.filter(isOver)) for (const span of spans) span.end();
    this.#open = this.#open.filter((open) => !isOver(open));
  }

  /** Ends all open spans: their acknowledgements will not come. */
  giveUp(reason: string): void {
    for (const { spans } of this.#open.splice(0)) for (const span of spans) span.end(reason);
  }
}

/**
 * The hosts of each trace. Ignores a reset, whose states are of any age, and entries newer than the batch, which come again
 * with the next one.
 */
export function tracesIn({ reset, version, entries }: FeedBatch): ReadonlyMap<string, readonly string[]> {
  const traces = new Map<string, string[]>();
  if (reset) return traces;
  for (const entry of entries) {
    const { traceparent, host } = entry;
    if (traceparent === undefined || entry.version > version) continue;
    const hosts = traces.get(traceparent);
    if (hosts !== undefined) hosts.push(host);
    else if (traces.size < MAX_TRACES_PER_BATCH) traces.set(traceparent, [host]);
  }
  return traces;
}
