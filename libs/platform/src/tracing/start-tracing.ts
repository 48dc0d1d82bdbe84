import type { Logger } from '../logger.js';
import type { TracedService, Tracing } from './provider.js';
import type { TracingSettings } from './settings.js';
import { markTracing } from './spans.js';

/**
 * Starts to trace if an endpoint is configured. Only then is OpenTelemetry loaded, so that it costs nothing without a
 * collector. Call it before any traced work.
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
