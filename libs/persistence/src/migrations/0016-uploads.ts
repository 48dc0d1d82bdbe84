import { sql, type Kysely } from 'kysely';

/** Uploads under way, so that they can be counted for an organization. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // Deleted when the upload has ended; after its lease, which its process renews, where that process died.
  `create table uploads (
    id uuid primary key default gen_random_uuid(),
    organization_id uuid not null references organizations on delete cascade,
    lease_until timestamptz not null
  )`,
  `create index uploads_by_organization on uploads (organization_id)`,
  `create index uploads_by_lease on uploads (lease_until)`,
];
