import type { Messaging } from '@pets/messaging';
import { withLogFields, type LogFields, type Logger } from '@pets/platform';
import type { ApiMetrics } from './api-metrics.js';

/**
 * Wraps messaging: measures and logs the handling of each event, and adds event, domain and attempt to its log lines.
 */
export function observeEvents(messaging: Messaging, metrics: ApiMetrics, log: Logger): Messaging {
  return {
    ...messaging,
    consumeEvents: (process, options) =>
      messaging.consumeEvents(
        (job) =>
          withLogFields(fieldsOf(job), async () => {
            const beganMs = performance.now();
            const record = (result: 'handled' | 'failed') => {
              const ms = performance.now() - beganMs;
              metrics.event(job.name, result, ms);
              log.info({ result, ms: Math.round(ms * 10) / 10 }, 'event');
            };
            try {
              await process(job);
            } catch (error) {
              record('failed');
              throw error;
            }
            record('handled');
          }),
        options,
      ),
  };
}

const loggedFields = ['domainId', 'generation', 'attempt', 'deliveryId'] as const;

/** The payload is not validated yet. */
function fieldsOf({ name, data }: { readonly name: string; readonly data: unknown }): LogFields {
  const payload = typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
  const known = loggedFields.flatMap((field) => {
    const value = payload[field];
    return typeof value === 'string' || typeof value === 'number' ? [[field, value] as const] : [];
  });
  return { event: name, ...Object.fromEntries(known) };
}
