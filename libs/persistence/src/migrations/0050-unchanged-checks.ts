import { sql, type Kysely } from 'kysely';

/** Where a DNS check is written that changes nothing. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table domain_work add column checked_at timestamptz, add column unchanged_checks integer`,
  // Every row is updated twice an attempt: room for the new versions on its page, and a vacuum after 2 % instead of 20 %.
  `alter table domain_work set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000)`,
  `alter table domains set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
  `alter table edge_routes set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
];
