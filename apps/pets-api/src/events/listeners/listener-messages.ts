import { hkdfSync } from 'node:crypto';
import type { ListenedDelivery, WebhookListener, WebhookListening } from '@pets/contracts';
import type { KeyRing } from '@pets/platform';
import { signWebhook, webhookSecretOf } from '../webhooks/sign-webhook.js';
import type { TakenDelivery, WebhookListenerRow } from './webhook-listeners.repository.js';

/** How long a client waits before it opens another stream, without a failure. */
const RETRY_MS = 1_000;
const SECRET_BYTES = 32;

/**
 * The secret of the streams of an API key. It is derived, so that a stream that is opened again at any replica has the same
 * one and nothing has to be stored. Another active key-encryption key leads to another secret.
 */
export function deriveListenerSecret(
  { activeId, keys }: KeyRing,
  { organizationId, apiKeyId }: { readonly organizationId: string; readonly apiKeyId: string },
): string {
  const key = keys.get(activeId);
  if (key === undefined) throw new Error('the active key is not in its ring');
  const purpose = `webhook_listeners|${organizationId}|${apiKeyId}`;
  return webhookSecretOf(Buffer.from(hkdfSync('sha256', key, '', purpose, SECRET_BYTES)));
}

/** A listener as its owner reads it. */
export function presentListener({ createdAt, ...row }: WebhookListenerRow): WebhookListener {
  return { ...row, createdAt: createdAt.toISOString() };
}

/** The first message of a stream. */
export function listeningMessage(listening: WebhookListening): string {
  return `retry: ${RETRY_MS}\nevent: listening\ndata: ${JSON.stringify(listening)}\n\n`;
}

/** A delivery as an endpoint would receive it. */
export function deliveryMessage({ id, type, subjectId, body }: TakenDelivery, secret: string, sentAt: Date): string {
  const headers = { 'content-type': 'application/json', ...signWebhook({ id, body, sentAt }, [secret]) };
  const delivery: ListenedDelivery = { id, type, subjectId, headers, body };
  return `event: delivery\ndata: ${JSON.stringify(delivery)}\n\n`;
}
