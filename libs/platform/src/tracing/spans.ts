import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
} from '@opentelemetry/api';

/**
 * Our own spans. Without `startTracing`, spans record nothing and there is no current trace.
 */

export interface SpanOptions {
  readonly kind: 'server' | 'internal';
  /** A `traceparent` to continue; null starts a new trace. The default is the current span. */
  readonly parent?: string | null;
  readonly attributes?: Attributes;
}

export interface StartedSpan {
  readonly traceId: string;
  /** For a process that continues the trace. */
  readonly traceParent: string;
  /** Makes this span the current one of `work` and everything that it starts. */
  run<T>(work: () => T): T;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** @param error a short name of an error of ours, not of the caller's */
  end(error?: string): void;
}

const kinds = { server: SpanKind.SERVER, internal: SpanKind.INTERNAL } as const;

let isTracing = false;

/** Only for `startTracing`. */
export function markTracing(isOn: boolean): void {
  isTracing = isOn;
}

export function startSpan(name: string, { kind, parent, attributes = {} }: SpanOptions): StartedSpan {
  const parentContext = parent === undefined ? context.active() : contextOf(parent);
  const span = trace.getTracer('pets').startSpan(name, { kind: kinds[kind], attributes }, parentContext);
  const spanContext = trace.setSpan(parentContext, span);
  const { traceId } = span.spanContext();
  return {
    traceId,
    traceParent: traceParentIn(spanContext) ?? '',
    run: (work) => context.with(spanContext, work),
    rename: (newName) => span.updateName(newName),
    set: (more) => span.setAttributes(more),
    end: (error) => {
      if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** The `traceparent` of the current span; null outside of a trace. */
export function currentTraceParent(): string | null {
  return isTracing ? traceParentIn(context.active()) : null;
}

/** The current trace as a field of log lines. */
export function currentTraceFields(): { readonly traceId?: string } {
  const span = isTracing ? trace.getActiveSpan() : undefined;
  return span === undefined ? {} : { traceId: span.spanContext().traceId };
}

/** @param traceParent null and a malformed one leave the context as it is */
export function contextOf(traceParent: unknown, base: Context = ROOT_CONTEXT): Context {
  const parsed = parseTraceParent(traceParent);
  if (parsed === null) return base;
  const { traceId, parentId: spanId, flags } = parsed;
  return trace.setSpanContext(base, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true });
}

export function traceParentIn(traceContext: Context): string | null {
  const found = trace.getSpanContext(traceContext);
  if (found === undefined || !trace.isSpanContextValid(found)) return null;
  const { traceId, spanId: parentId, traceFlags } = found;
  return formatTraceParent({ traceId, parentId, flags: traceFlags.toString(16).padStart(2, '0') });
}

/** The parts of a `traceparent` (W3C Trace Context §3.2). */
interface TraceParent {
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
