/**
 * OpenTelemetry's own side of the traces: loaded by `startTracing`, and by nothing else. Made global, since BullMQ's spans
 * come from a library that finds it there.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { context, diag, DiagLogLevel, propagation, trace, type DiagLogger } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { withTimeout } from '@pets/async';
import type { Logger } from '../logger.js';
import { traceParentPropagator } from './propagator.js';
import { chooseSampler } from './sampler.js';
import type { TracingSettings } from './settings.js';

/** Soon enough to look at what has just happened. */
const SEND_EVERY_MS = 1_000;
const SEND_LIMIT_MS = 5_000;
/** A stop is not held up for longer by a collector that does not answer. */
const LAST_SEND_LIMIT_MS = 2_000;
/** What is not fetched in time is dropped: a request waits for no collector. */
const MAX_KEPT_SPANS = 8_192;
/** A collector that is away is told of this often. */
const TELL_EVERY_MS = 60_000;

/** Which program it is. */
export interface TracedService {
  readonly name: string;
  /** Folder with its package.json, which says its version. */
  readonly folder: string;
}

export interface Tracing {
  /** Sends what is left, within a limit. Never rejects: whoever stops is not held up by a collector. */
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
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: SEND_LIMIT_MS,
    maxQueueSize: MAX_KEPT_SPANS,
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
        log.warn({ err: error }, 'traces were left unsent'),
      );
      for (const api of [trace, context, propagation, diag]) api.disable();
    },
  };
}

function describe({ name, folder }: TracedService) {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }; // npm wants one
  return {
    'service.name': name,
    'service.namespace': 'pets',
    'service.version': version,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
  };
}

function diagnosticsTo(log: Pick<Logger, 'warn'>): DiagLogger {
  let toldAtMs = -Infinity;
  const tell = (message: string, ...details: unknown[]) => {
    const nowMs = performance.now();
    if (nowMs - toldAtMs < TELL_EVERY_MS) return;
    toldAtMs = nowMs;
    log.warn({ details: [message, ...details.map(String)] }, 'traces');
  };
  const ignore = () => undefined;
  return { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore };
}
