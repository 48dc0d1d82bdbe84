import type { Logger } from '../logger.js';
import type { TracedService, Tracing } from './provider.js';
import type { TracingSettings } from './settings.js';
import { markTracing } from './spans.js';

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
