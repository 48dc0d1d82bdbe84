/** The parts of a `traceparent` (W3C Trace Context §3.2). */
export interface TraceParent {
  readonly traceId: string;
  /** The id of the parent span. */
  readonly parentId: string;
  /** Unchanged: whether the caller records. */
  readonly flags: string;
}

/** version-traceid-parentid-flags; a later version may have more after that (W3C Trace Context §3.2, §4.3). */
const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** Null without a header and for a malformed one, which is to be ignored (§4.3). */
export function parseTraceParent(header: unknown): TraceParent | null {
  const [, traceId, parentId, flags] = (typeof header === 'string' && form.exec(header)) || [];
  if (traceId === undefined || parentId === undefined || flags === undefined) return null;
  return { traceId, parentId, flags };
}

export function formatTraceParent({ traceId, parentId, flags }: TraceParent): string {
  return `00-${traceId}-${parentId}-${flags}`;
}
