import { sql, type Kysely } from 'kysely';

/**
 * The trace (W3C `traceparent`) that made work due, or that gave a host its newest state, where traces are recorded.
 * Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const form = `'^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'`;

// The version before this one writes neither: what it makes due goes on with the trace that was there, if there was one.
// The rows that are there have none, so no constraint has to look at them.
const statements = [
  `alter table domain_work add column traceparent text`,
  `alter table domain_work add constraint domain_work_traceparent check (traceparent ~ ${form}) not valid`,
  `alter table edge_routes add column traceparent text`,
  `alter table edge_routes add constraint edge_routes_traceparent check (traceparent ~ ${form}) not valid`,
];
