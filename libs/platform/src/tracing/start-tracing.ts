import type { Logger } from '../logger.js';
import type { SamplerName } from './settings.js';
import { markTracing } from './spans.js';

export interface TracingSettings {
  /** Base URL of an OTLP/HTTP receiver; without it nothing is traced. */
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS?: Readonly<Record<string, string>> | undefined;
  /** `parentbased_always_on` unless given. */
  readonly OTEL_TRACES_SAMPLER?: SamplerName | undefined;
  /** 1 unless given. */
  readonly OTEL_TRACES_SAMPLER_ARG?: number | undefined;
}

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

/**
 * Begins to trace, where there is somebody to tell. OpenTelemetry is loaded here and only then, so that whoever has no
 * collector pays nothing for it. Call it before anything that is traced.
 */
export async function startTracing(
  settings: TracingSettings,
  service: TracedService,
  log: Pick<Logger, 'warn'>,
): Promise<Tracing | null> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (endpoint === undefined) return null;
  const { startProvider } = await import('./provider.js');
  const provider = startProvider({ ...settings, endpoint }, service, log);
  markTracing(true);
  return {
    stop: async () => {
      await provider.stop();
      markTracing(false);
    },
  };
}
