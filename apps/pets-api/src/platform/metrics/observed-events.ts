import type { Messaging } from '@pets/messaging';
import { withLogFields, type LogFields, type Logger } from '@pets/platform';
import type { ApiMetrics } from './api-metrics.js';

/**
 * The same messaging; events are counted with how long they took to be handled, and each has a line in the log. What is
 * logged meanwhile says which event, domain and attempt it is about.
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

/** The payload has not been checked yet, so nothing is taken for granted. */
function fieldsOf({ name, data }: { readonly name: string; readonly data: unknown }): LogFields {
  const payload = typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : {};
  const known = loggedFields.flatMap((field) => {
    const value = payload[field];
    return typeof value === 'string' || typeof value === 'number' ? [[field, value] as const] : [];
  });
  return { event: name, ...Object.fromEntries(known) };
}
