import { sql, type Kysely } from 'kysely';

/** Deliveries by state and by the resource that they are about, for lists. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  // Most deliveries are delivered, so lists of the others need an index.
  `drop index concurrently if exists webhook_deliveries_not_delivered`,
  `create index concurrently webhook_deliveries_not_delivered on webhook_deliveries (endpoint_id, state, number)
    where state <> 'delivered'`,
  `drop index concurrently if exists webhook_deliveries_by_subject`,
  `create index concurrently webhook_deliveries_by_subject on webhook_deliveries (endpoint_id, subject_id, number)`,
  // For the deletion of ended secrets.
  `drop index concurrently if exists webhook_secrets_by_end`,
  `create index concurrently webhook_secrets_by_end on webhook_secrets (expires_at) where expires_at is not null`,
];
