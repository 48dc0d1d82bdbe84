import { sql, type Kysely } from 'kysely';

/**
 * Counts of the domains of a project, and limits that need them. Frozen in time, as every migration.
 *
 * Triggers, since the previous version writes domains too. Every change of a state holds the lock of its project, so the
 * row of the counts is never contended. A project without a row has not been counted yet: the code counts it, under the
 * same lock, when it adds a domain.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table domain_counts (
    project_id uuid primary key references projects,
    organization_id uuid not null references organizations,
    awaiting_dns integer not null,
    verified integer not null,
    live integer not null,
    -- Of the domains that are not removed.
    misconfigured integer not null
  ) with (fillfactor = 50)`,
  `create index domain_counts_by_organization on domain_counts (organization_id)`,
  `create function domains_count_added() returns trigger language plpgsql as $$
    begin
      update domain_counts c set awaiting_dns = c.awaiting_dns + a.awaiting_dns, verified = c.verified + a.verified,
        live = c.live + a.live, misconfigured = c.misconfigured + a.misconfigured
      from (
        select project_id, count(*) filter (where state = 'awaiting_dns') as awaiting_dns,
          count(*) filter (where state = 'verified') as verified, count(*) filter (where state = 'live') as live,
          count(*) filter (where misconfigured and state <> 'removed') as misconfigured
        from added group by project_id
      ) a
      where c.project_id = a.project_id;
      return null;
    end
  $$`,
  `create trigger domains_count_added after insert on domains referencing new table as added
    for each statement execute function domains_count_added()`,
  `create function domains_count_changed() returns trigger language plpgsql as $$
    begin
      update domain_counts c set
        awaiting_dns = c.awaiting_dns + (new.state = 'awaiting_dns')::int - (old.state = 'awaiting_dns')::int,
        verified = c.verified + (new.state = 'verified')::int - (old.state = 'verified')::int,
        live = c.live + (new.state = 'live')::int - (old.state = 'live')::int,
        misconfigured = c.misconfigured + (new.misconfigured and new.state <> 'removed')::int
          - (old.misconfigured and old.state <> 'removed')::int
      where c.project_id = new.project_id;
      return null;
    end
  $$`,
  // Not "update of state": an update writes every column of a domain, and few change what is counted.
  `create trigger domains_count_changed after update on domains for each row
    when (old.state <> new.state or old.misconfigured <> new.misconfigured)
    execute function domains_count_changed()`,
  // What the operator has changed stays.
  `update plan_limits set value = case plan when 'pro' then 1000 else 100000 end
    where name = 'domainsPerProject' and plan in ('pro', 'enterprise') and value = 50`,
];
