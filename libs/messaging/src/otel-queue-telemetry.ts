import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
} from '@opentelemetry/api';
import { SpanKind as BullMqSpanKind, type Span as BullMqSpan, type Telemetry } from 'bullmq';
import { BullMQOtel, BullMQOTelSpan } from 'bullmq-otel';
import type { QueuedJob, QueueTelemetry, StoredJob } from './backend.js';

/**
 * A job makes two spans: `publish <queue>` in the process that adds it, `process <queue>` in the one that runs it. Both name
 * the job. BullMQ's other spans (polling for work, completing a job, looking for stalled jobs) are dropped: they say nothing
 * about the job, and many would be traces of a single span.
 */
export function createQueueTelemetry(): QueueTelemetry {
  const tracer = trace.getTracer('pets-messaging');
  const startSpan = (queue: string, { name, opts, traceParent }: QueuedJob): Span => {
    const attributes = { ...messagingAttributes(queue, 'send'), 'bullmq.job.name': name, ...idOf(opts.jobId) };
    return tracer.startSpan(`publish ${queue}`, { kind: SpanKind.PRODUCER, attributes }, contextOf(traceParent));
  };
  return {
    worker: createWorkerTelemetry(),
    current: () => traceParentIn(context.active()),
    publish: async (queue, jobs, add) => {
      const spans = jobs.map((job) => startSpan(queue, job));
      try {
        await add(jobs.map((job, index) => withTraceOf(job, spans[index])));
      } catch (error) {
        for (const span of spans)
          span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', nameOf(error));
        throw error;
      } finally {
        for (const span of spans) span.end();
      }
    },
  };
}

/** BullMQ passes on `telemetry.metadata`: the headers of a trace as JSON, as `bullmq-otel` reads them. */
function withTraceOf({ name, data, opts }: QueuedJob, span: Span | undefined): StoredJob {
  if (span === undefined) return { name, data, opts };
  const headers = {};
  propagation.inject(trace.setSpan(ROOT_CONTEXT, span), headers);
  return { name, data, opts: { ...opts, telemetry: { metadata: JSON.stringify(headers) } } };
}

function createWorkerTelemetry(): Telemetry<Context> {
  const { tracer, contextManager } = new BullMQOtel({ tracerName: 'pets-messaging' });
  return {
    tracer: {
      startSpan: (name, options, parent) => {
        if (options?.kind !== BullMqSpanKind.CONSUMER) return noopSpan;
        // Without a parent the span would belong to the trace that was active when the worker's loop started.
        const { span } = tracer.startSpan(name, options, parent ?? ROOT_CONTEXT) as BullMQOTelSpan; // its only class
        span.setAttributes(messagingAttributes(name.replace(/^process /, ''), 'process'));
        return new JobSpan(span);
      },
    },
    contextManager,
  };
}

/** BullMQ records a failed job as an event of the span; searches for failed spans need a status. */
class JobSpan extends BullMQOTelSpan {
  override addEvent(...event: Parameters<BullMQOTelSpan['addEvent']>): void {
    super.addEvent(...event);
    if (event[0] === 'job failed') this.span.setStatus({ code: SpanStatusCode.ERROR });
  }
}

/** Leaves the current trace as it is. */
const noopSpan: BullMqSpan<Context> = {
  setSpanOnContext: (parent) => parent,
  setAttribute: () => undefined,
  setAttributes: () => undefined,
  addEvent: () => undefined,
  recordException: () => undefined,
  end: () => undefined,
};

function contextOf(traceParent: string | null | undefined): Context {
  return traceParent == null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent: traceParent });
}

function traceParentIn(traceContext: Context): string | null {
  const headers: { traceparent?: string } = {};
  propagation.inject(traceContext, headers);
  return headers.traceparent ?? null;
}

function messagingAttributes(queue: string, operation: 'send' | 'process'): Attributes {
  return {
    'messaging.system': 'bullmq',
    'messaging.destination.name': queue,
    'messaging.operation.type': operation,
  };
}

function idOf(jobId: string | undefined): Attributes {
  return jobId === undefined ? {} : { 'messaging.message.id': jobId };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}
