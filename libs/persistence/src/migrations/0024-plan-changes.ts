import { sql, type Kysely } from 'kysely';

/**
 * Organizations whose custom domains are to be suspended or resumed, since their plan changed. Frozen in time, as every
 * migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table plan_changes (
    organization_id uuid primary key references organizations on delete cascade,
    action text not null check (action in ('suspend', 'resume')),
    since timestamptz not null
  )`,
  `create index plan_changes_by_action on plan_changes (action, since)`,
  // Domains of a plan that does not include them were served without end: their time begins now.
  `insert into plan_changes (organization_id, action, since)
    select o.id, 'suspend', now() from organizations o
    where o.plan = 'free' and exists (
      select from domains d where d.organization_id = o.id and d.state <> 'removed'
    )`,
];
