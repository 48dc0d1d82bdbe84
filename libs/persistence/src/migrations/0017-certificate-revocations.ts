import { sql, type Kysely } from 'kysely';

/**
 * Certificates that a CA is asked to revoke, one row each until some time after its expiry. The row is the schedule and the
 * outbox: what is due is dispatched, and a dispatch moves the due time to the end of its lease. Frozen in time, as every
 * migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table certificate_revocations (
    certificate_id uuid primary key references certificates on delete cascade,
    domain_id uuid not null references domains on delete cascade,
    directory_url text not null,
    chain_pem text not null,
    reason text not null,
    state text not null default 'pending' check (state in ('pending', 'revoked', 'expired')),
    requested_at timestamptz not null,
    expires_at timestamptz not null,
    due_at timestamptz not null,
    attempt integer not null default 0,
    failures integer not null default 0,
    problem text,
    ended_at timestamptz
  )`,
  `create index certificate_revocations_due on certificate_revocations (due_at) where state = 'pending'`,
  `create index certificate_revocations_by_expiry on certificate_revocations (expires_at)`,
];
