import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Tx } from '@pets/persistence';
import { sql } from 'kysely';

/** An encrypted signing secret, bound to its id and its endpoint. */
export interface SealedSecret {
  readonly id: string;
  readonly sealed: string;
}

@Injectable()
export class WebhookSecretsRepository {
  async insert(tx: Tx, endpointId: string, { id, sealed }: SealedSecret): Promise<void> {
    await tx.insertInto('webhook_secrets').values({ id, endpoint_id: endpointId, sealed, expires_at: null }).execute();
  }

  /** Ends the current secret at a time, or now for null, and its predecessor now. */
  async retire(tx: Tx, endpointId: string, until: Date | null): Promise<void> {
    let ended = tx.deleteFrom('webhook_secrets').where('endpoint_id', '=', endpointId);
    if (until !== null) ended = ended.where('expires_at', 'is not', null);
    await ended.execute();
    if (until === null) return;
    await tx.updateTable('webhook_secrets').set({ expires_at: until }).where('endpoint_id', '=', endpointId).execute();
  }
}

/** Signing secrets of the endpoint `e` as JSON, newest first. */
export const signingSecrets = sql`(
  select jsonb_agg(jsonb_build_object('id', s.id, 'sealed', s.sealed) order by s.expires_at nulls first)
  from webhook_secrets s where s.endpoint_id = e.id and (s.expires_at is null or s.expires_at > now())
)`;

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

interface SignedMessage {
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
