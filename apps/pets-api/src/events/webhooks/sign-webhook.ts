import { createHmac, randomBytes } from 'node:crypto';

/** Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

/** A new secret in the form that its owner sees: `whsec_` and base64. */
export function generateWebhookSecret(): string {
  return webhookSecretOf(randomBytes(SECRET_BYTES));
}

/** The form that the owner of a secret sees. */
export function webhookSecretOf(key: Buffer): string {
  return PREFIX + key.toString('base64');
}

export interface SignedMessage {
  /** Id of the message, its `webhook-id`. */
  readonly id: string;
  /** Exactly the bytes that are sent. */
  readonly body: string;
  readonly sentAt: Date;
}

/**
 * The headers of Standard Webhooks: the id, the time in seconds, and a space-separated signature for each secret, so that a
 * receiver can verify with either of two secrets during a rotation.
 * @param secrets the newest first
 */
export function signWebhook({ id, body, sentAt }: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1_000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}
