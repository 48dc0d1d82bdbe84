import {
  context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
} from '@opentelemetry/api';
import { formatTraceParent, parseTraceParent } from './trace-parent.js';

/**
 * The spans of our own making. Everything here does nothing while nothing is traced (`startTracing`): a span is then one
 * that records nothing, and the current trace is none.
 */

export interface SpanOptions {
  readonly kind: 'server' | 'internal';
  /** A `traceparent` to go on with; null begins a trace, and left out it is part of what is being done. */
  readonly parent?: string | null;
  readonly attributes?: Attributes;
}

export interface StartedSpan {
  readonly traceId: string;
  /** For whoever goes on with it. */
  readonly traceParent: string;
  /** What `work` does, and what it starts, is part of this span. */
  run<T>(work: () => T): T;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** @param error what went wrong, in a word; by our own fault, not that of whoever asked */
  end(error?: string): void;
}

const kinds = { server: SpanKind.SERVER, internal: SpanKind.INTERNAL } as const;

let isTracing = false;

/** For `startTracing` alone. */
export function markTracing(isOn: boolean): void {
  isTracing = isOn;
}

export function startSpan(name: string, { kind, parent, attributes = {} }: SpanOptions): StartedSpan {
  const around = parent === undefined ? context.active() : contextOf(parent);
  const span = trace.getTracer('pets').startSpan(name, { kind: kinds[kind], attributes }, around);
  const own = trace.setSpan(around, span);
  const { traceId } = span.spanContext();
  return {
    traceId,
    traceParent: traceParentIn(own) ?? '',
    run: (work) => context.with(own, work),
    rename: (newName) => span.updateName(newName),
    set: (more) => span.setAttributes(more),
    end: (error) => {
      if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** The `traceparent` of what is being done; null outside of any trace, and wherever nothing is traced. */
export function currentTraceParent(): string | null {
  return isTracing ? traceParentIn(context.active()) : null;
}

/** The trace of what is being done, as a field for log lines. */
export function currentTraceFields(): { readonly traceId?: string } {
  const span = isTracing ? trace.getActiveSpan() : undefined;
  return span === undefined ? {} : { traceId: span.spanContext().traceId };
}

/** @param traceParent null, or one that is malformed, leads to no trace */
export function contextOf(traceParent: unknown, around: Context = ROOT_CONTEXT): Context {
  const parsed = parseTraceParent(traceParent);
  if (parsed === null) return around;
  const { traceId, parentId: spanId, flags } = parsed;
  return trace.setSpanContext(around, { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true });
}

export function traceParentIn(around: Context): string | null {
  const found = trace.getSpanContext(around);
  if (found === undefined || !trace.isSpanContextValid(found)) return null;
  const { traceId, spanId: parentId, traceFlags } = found;
  return formatTraceParent({ traceId, parentId, flags: traceFlags.toString(16).padStart(2, '0') });
}
