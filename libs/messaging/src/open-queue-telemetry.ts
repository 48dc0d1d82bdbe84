import type { QueueTelemetry } from './queue-telemetry.js';

/**
 * Joins the queues to the traces of this process, which has begun to trace already. Loads OpenTelemetry and BullMQ's
 * link to it only here, so that whoever does not trace does not have them.
 */
export async function openQueueTelemetry(): Promise<QueueTelemetry> {
  const { createQueueTelemetry } = await import('./otel-queue-telemetry.js');
  return createQueueTelemetry();
}
