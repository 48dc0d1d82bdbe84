import { sql, type Kysely } from 'kysely';

/**
 * Attempts that workers have: one row for each, from its dispatch to its result. They are kept apart from the deliveries,
 * because a request goes on when its delivery is replayed or its endpoint is deleted. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table webhook_endpoints add column timeouts smallint not null default 0`,
  `create table webhook_slots (
    delivery_id uuid not null,
    attempt integer not null,
    organization_id uuid not null,
    endpoint_id uuid not null,
    receiver text not null,
    is_slow boolean not null,
    lease_until timestamptz not null,
    primary key (delivery_id, attempt)
  )`,
  // Rows that are done have earlier leases, so a reader skips them also while an old transaction keeps them.
  `create index webhook_slots_by_lease on webhook_slots (lease_until)`,
];
