import { startSpan, type StartedSpan } from '@pets/platform';
import type { FeedBatch } from '../store/route-changes.js';

/** The traces of one batch that the edge records; the others end at the API. */
const MAX_TRACES_PER_BATCH = 64;

interface OpenSpans {
  readonly epoch: string;
  readonly version: number;
  readonly spans: readonly StartedSpan[];
}

/**
 * The last step of a trace: a change reached this edge. Creates one span `edge.apply` for each trace in a batch, from the
 * batch to the committed acknowledgement: by then the change is on disk and applied by every process.
 */
export class ChangeTraces {
  readonly #edgeId: string;
  #open: OpenSpans[] = [];

  constructor(edgeId: string) {
    this.#edgeId = edgeId;
  }

  /** @returns ends the spans of a batch that was not applied; it comes again in another session */
  beginChanges(batch: FeedBatch): () => void {
    const { epoch, version } = batch;
    const spans = [...tracesIn(batch)].map(([parent, hosts]) => {
      const attributes = { 'pets.edge.id': this.#edgeId, 'pets.feed.version': version, 'pets.feed.hosts': [...hosts] };
      return startSpan('edge.apply', { kind: 'internal', parent, attributes });
    });
    if (spans.length === 0) return () => undefined;
    const opened = { epoch, version, spans };
    this.#open.push(opened);
    return () => {
      this.#open = this.#open.filter((open) => open !== opened);
      for (const span of spans) span.end('not_applied');
    };
  }

  /** The API committed an acknowledgement. Spans of another epoch belong to a database that no longer exists. */
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

/** The hosts of each trace. Ignores entries newer than the batch, which come again with the next one. */
export function tracesIn({ version, entries }: FeedBatch): ReadonlyMap<string, readonly string[]> {
  const traces = new Map<string, string[]>();
  for (const entry of entries) {
    const { traceparent, host } = entry;
    if (traceparent === undefined || entry.version > version) continue;
    const hosts = traces.get(traceparent);
    if (hosts !== undefined) hosts.push(host);
    else if (traces.size < MAX_TRACES_PER_BATCH) traces.set(traceparent, [host]);
  }
  return traces;
}
