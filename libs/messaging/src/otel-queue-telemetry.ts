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
import type { QueuedJob, QueueTelemetry, StoredJob } from './queue-telemetry.js';

/**
 * A job makes two spans: `publish <queue>` at whoever adds it, `process <queue>` at whoever does it. Both name the job.
 * Of what BullMQ tells besides (looking for work every few seconds, completing a job, looking for stalled ones) nothing is
 * kept: it says nothing of what is done, and much of it would be traces of one span that never end.
 */
export function createQueueTelemetry(): QueueTelemetry {
  const tracer = trace.getTracer('pets-messaging');
  const begin = (queue: string, { name, opts, traceParent }: QueuedJob): Span => {
    const attributes = { ...messagingAttributes(queue, 'send'), 'bullmq.job.name': name, ...idOf(opts.jobId) };
    return tracer.startSpan(`publish ${queue}`, { kind: SpanKind.PRODUCER, attributes }, contextOf(traceParent));
  };
  return {
    worker: createWorkerTelemetry(),
    current: () => traceParentIn(context.active()),
    publish: async (queue, jobs, add) => {
      const spans = jobs.map((job) => begin(queue, job));
      try {
        await add(jobs.map((job, index) => carrying(job, spans[index])));
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

/** BullMQ hands on what stands in `telemetry.metadata`: the headers of a trace as JSON, as `bullmq-otel` reads them. */
function carrying({ name, data, opts }: QueuedJob, span: Span | undefined): StoredJob {
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
        if (options?.kind !== BullMqSpanKind.CONSUMER) return silentSpan;
        // Without a parent it would become part of whatever the worker's loop was begun by.
        const around = parent ?? ROOT_CONTEXT;
        const { span } = tracer.startSpan(name, options, around) as BullMQOTelSpan; // what it makes
        span.setAttributes(messagingAttributes(name.replace(/^process /, ''), 'process'));
        return new JobSpan(span);
      },
    },
    contextManager,
  };
}

/** That a job has failed is an event to BullMQ; whoever looks for failed spans wants a status. */
class JobSpan extends BullMQOTelSpan {
  override addEvent(...event: Parameters<BullMQOTelSpan['addEvent']>): void {
    super.addEvent(...event);
    if (event[0] === 'job failed') this.span.setStatus({ code: SpanStatusCode.ERROR });
  }
}

/** Leaves what is being traced as it is. */
const silentSpan: BullMqSpan<Context> = {
  setSpanOnContext: (around) => around,
  setAttribute: () => undefined,
  setAttributes: () => undefined,
  addEvent: () => undefined,
  recordException: () => undefined,
  end: () => undefined,
};

function contextOf(traceParent: string | null | undefined): Context {
  return traceParent == null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent: traceParent });
}

function traceParentIn(around: Context): string | null {
  const headers: { traceparent?: string } = {};
  propagation.inject(around, headers);
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
