import { sql, type Kysely } from 'kysely';

/** What the claim of due work looks for. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  // A row is ready when it is due and its lease has ended.
  `drop index concurrently if exists domain_work_ready`,
  `create index concurrently domain_work_ready
    on domain_work (kind, priority, organization_id, greatest(due_at, lease_until)) where due_at is not null`,
  // Rows of the version before: none after a while.
  `drop index concurrently if exists domain_work_unfilled`,
  `create index concurrently domain_work_unfilled on domain_work (domain_id) where organization_id is null`,
];
