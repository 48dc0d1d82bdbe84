import { sql, type Kysely } from 'kysely';

/**
 * Counts of the domains of projects follow a domain that moves to another project. Frozen in time, as every migration.
 *
 * A move changes no other column that is counted, and holds the locks of both projects.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create function domains_count_moved() returns trigger language plpgsql as $$
    begin
      update domain_counts c set
        awaiting_dns = c.awaiting_dns + m.sign * (new.state = 'awaiting_dns')::int,
        verified = c.verified + m.sign * (new.state = 'verified')::int,
        live = c.live + m.sign * (new.state = 'live')::int,
        misconfigured = c.misconfigured + m.sign * new.misconfigured::int
      from (values (old.project_id, -1), (new.project_id, 1)) as m (project_id, sign)
      where c.project_id = m.project_id;
      return null;
    end
  $$`,
  // Updates of other columns do not evaluate the condition.
  `create trigger domains_count_moved after update of project_id on domains for each row
    when (old.project_id <> new.project_id and new.state <> 'removed')
    execute function domains_count_moved()`,
];
