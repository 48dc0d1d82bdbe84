import type { WebhookDelivery, WebhookDeliveryWithBody, WebhookEndpoint } from '@pets/contracts';
import { MAX_ATTEMPTS } from '@pets/domains';
import type { DeliveryDetailRow, DeliveryRow } from './webhook-deliveries.repository.js';
import type { WebhookEndpointRow } from './webhook-endpoints.repository.js';

/** An endpoint as its owner reads it. */
export function presentEndpoint(row: WebhookEndpointRow): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    eventTypes: row.eventTypes,
    projectId: row.projectId,
    enabled: row.enabled,
    disabledReason: row.disabledReason,
    disabledAt: textOf(row.disabledAt),
    failingSince: textOf(row.failingSince),
    pausedAt: textOf(row.pausedAt),
    previousSecretUntil: textOf(row.previousSecretUntil),
    createdAt: row.createdAt.toISOString(),
  };
}

/** A delivery as listed. */
export function presentDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    id: row.id,
    endpointId: row.endpointId,
    type: row.type,
    subjectId: row.subjectId,
    sequence: row.sequence,
    state: row.state,
    createdAt: row.createdAt.toISOString(),
    deliveredAt: textOf(row.deliveredAt),
    nextAttemptAt: textOf(row.dueAt),
    failures: row.failures,
    maxAttempts: MAX_ATTEMPTS,
    attempts: presentAttempts(row.attempts),
  };
}

/** A single delivery. */
export function presentDeliveryWithBody(row: DeliveryDetailRow): WebhookDeliveryWithBody {
  return { ...presentDelivery(row), attempts: presentAttempts(row.attempts), body: row.body };
}

/** PostgreSQL's JSON has another format of times. */
function presentAttempts<Attempt extends { readonly at: string }>(attempts: readonly Attempt[]): Attempt[] {
  return attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at).toISOString() }));
}

function textOf(date: Date | null): string | null {
  return date?.toISOString() ?? null;
}
