import { sql, type Kysely } from 'kysely';

/**
 * Which memberships a claim of the identity provider began, so that they end with it, and which ended so. Of people from before,
 * the audit log knows it. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table people
      add column added_by_claim boolean not null default false,
      add column removed_by_claim boolean not null default false`.execute(db);
  await sql`
    update people p set added_by_claim = true
    where exists (
      select from audit_events e
      where e.organization_id = p.organization_id and e.type = 'person.added'
        and e.subject_id = p.id::text and e.detail ->> 'by' = 'claim'
    )`.execute(db);
}
