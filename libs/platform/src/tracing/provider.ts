/**
 * Configures OpenTelemetry. Only `startTracing` loads this file. The provider is global, since the library of BullMQ's spans
 * finds it there.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  context,
  diag,
  DiagLogLevel,
  propagation,
  trace,
  type DiagLogger,
  type TextMapPropagator,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { withTimeout } from '@pets/async';
import type { Logger } from '../logger.js';
import type { SamplerName, TracingSettings } from './settings.js';
import { contextOf, traceParentIn } from './spans.js';

/** Short, so that traces can be inspected at once. */
const SEND_INTERVAL_MS = 1_000;
const SEND_LIMIT_MS = 5_000;
/** The longest delay of a stop by a collector that does not answer. */
const LAST_SEND_LIMIT_MS = 2_000;
/** Further spans are dropped: requests do not wait for the collector. */
const MAX_QUEUED_SPANS = 8_192;
/** Errors of the collector are logged at most this often. */
const LOG_INTERVAL_MS = 60_000;

export interface TracedService {
  readonly name: string;
  /** The folder of its package.json, which has its version. */
  readonly folder: string;
}

export interface Tracing {
  /** Sends the remaining spans, within a limit. It never rejects. */
  stop(): Promise<void>;
}

export function startProvider(
  settings: TracingSettings & { readonly endpoint: string },
  service: TracedService,
  log: Pick<Logger, 'warn'>,
): Tracing {
  diag.setLogger(diagnosticsTo(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint}/v1/traces`,
    headers: { ...settings.OTEL_EXPORTER_OTLP_HEADERS },
    timeoutMillis: SEND_LIMIT_MS,
  });
  const limits = {
    scheduledDelayMillis: SEND_INTERVAL_MS,
    exportTimeoutMillis: SEND_LIMIT_MS,
    maxQueueSize: MAX_QUEUED_SPANS,
  };
  const provider = new TracerProvider({
    resource: resourceFromAttributes(describe(service)),
    sampler: chooseSampler(settings.OTEL_TRACES_SAMPLER, settings.OTEL_TRACES_SAMPLER_ARG),
    spanProcessors: [new BatchSpanProcessor({ exporter, ...limits })],
  });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(traceParentPropagator);
  return {
    stop: async () => {
      await withTimeout(provider.shutdown(), LAST_SEND_LIMIT_MS, 'sending traces').catch((error: unknown) =>
        log.warn({ err: error }, 'failed to send the remaining traces'),
      );
      for (const api of [trace, context, propagation, diag]) api.disable();
    },
  };
}

/** A `parentbased` sampler follows the decision of the process that started the trace. */
export function chooseSampler(name: SamplerName = 'parentbased_always_on', ratio = 1): Sampler {
  switch (name) {
    case 'always_on':
      return new AlwaysOnSampler();
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio);
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) });
  }
}

function describe({ name, folder }: TracedService) {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }; // required by npm
  return {
    'service.name': name,
    'service.namespace': 'pets',
    'service.version': version,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
  };
}

function diagnosticsTo(log: Pick<Logger, 'warn'>): DiagLogger {
  let loggedAtMs = -Infinity;
  const warn = (message: string, ...details: unknown[]) => {
    const nowMs = performance.now();
    if (nowMs - loggedAtMs < LOG_INTERVAL_MS) return;
    loggedAtMs = nowMs;
    log.warn({ details: [message, ...details.map(String)] }, 'OpenTelemetry error');
  };
  const ignore = () => undefined;
  return { error: warn, warn, info: ignore, debug: ignore, verbose: ignore };
}

const TRACE_PARENT = 'traceparent';

/** For OpenTelemetry's own libraries: the header `traceparent`, with our parser. */
const traceParentPropagator: TextMapPropagator = {
  fields: () => [TRACE_PARENT],
  inject: (traceContext, carrier, setter) => {
    const traceParent = traceParentIn(traceContext);
    if (traceParent !== null) setter.set(carrier, TRACE_PARENT, traceParent);
  },
  extract: (traceContext, carrier, getter) => contextOf(getter.get(carrier, TRACE_PARENT), traceContext),
};
