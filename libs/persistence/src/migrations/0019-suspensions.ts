import { sql, type Kysely } from 'kysely';

/**
 * What is suspended and why, which names are blocked, and when work was due that a suspension holds back. Frozen in time,
 * as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // Without project and name it covers the organization, with a project that, and with a name the organization's domain of
  // that name, in whichever project it is: removing and adding a name does not end its suspension.
  `create table suspensions (
    id uuid primary key default gen_random_uuid(),
    organization_id uuid not null references organizations on delete cascade,
    project_id uuid references projects on delete cascade,
    name text,
    cause text not null,
    reason text not null,
    since timestamptz not null,
    renews_until timestamptz,
    suspended_by text,
    constraint suspensions_once unique nulls not distinct (organization_id, project_id, name, cause)
  )`,
  `create index suspensions_by_name on suspensions (name) where name is not null`,
  `create table blocked_names (
    name text primary key,
    includes_subdomains boolean not null,
    reason text not null,
    blocked_by text,
    since timestamptz not null
  )`,
  `alter table domain_work add column held_due_at timestamptz`,
];
