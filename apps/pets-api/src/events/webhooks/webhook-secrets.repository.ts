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
