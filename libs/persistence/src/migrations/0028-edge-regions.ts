import { sql, type Kysely } from 'kysely';

/**
 * Where an edge is, which edges of the version before do not report, and how many probes in a row it failed that other edges
 * passed. Both decide which edges are probed. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(`alter table edges add column region text, add column probe_failures integer not null default 0`)
    .execute(db);
}
