import { sql, type Kysely } from 'kysely';

/** Imports of many domains: the lines of their files in pieces, and the results. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table domain_imports (
    id uuid primary key default gen_random_uuid(),
    organization_id uuid not null references organizations,
    project_id uuid not null references projects,
    action text not null check (action in ('add', 'remove')),
    format text not null check (format in ('ndjson', 'csv')),
    state text not null default 'uploading'
      check (state in ('uploading', 'running', 'finished', 'cancelled', 'failed')),
    reason text,
    -- Not a reference: keys are deleted before imports are.
    api_key_id uuid not null,
    requester jsonb not null,
    lines integer not null default 0,
    created integer not null default 0,
    existing integer not null default 0,
    removed integer not null default 0,
    refused integer not null default 0,
    next_piece integer not null default 0,
    due_at timestamptz not null,
    failures_in_a_row integer not null default 0,
    removed_version bigint,
    change_number bigint not null default 0,
    created_at timestamptz not null default now(),
    ended_at timestamptz
  )`,
  `create index domain_imports_due on domain_imports (due_at) where state = 'running'`,
  `create index domain_imports_by_project on domain_imports (project_id, created_at)`,
  `create index domain_imports_open on domain_imports (organization_id) where state in ('uploading', 'running')`,
  `create index domain_imports_by_end on domain_imports (ended_at) where ended_at is not null`,
  `create table domain_import_pieces (
    import_id uuid not null references domain_imports on delete cascade,
    number integer not null,
    lines jsonb not null,
    results jsonb,
    primary key (import_id, number)
  )`,
];
