import { sql, type Kysely } from 'kysely';

/** What the build of a snapshot and the deletion of ended routes look for. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  // The order of bytes, which the edges check, whatever the collation of the database.
  `drop index concurrently if exists edge_routes_served`,
  `create index concurrently edge_routes_served on edge_routes (host collate "C")
    where route is not null or suspended_route is not null`,
  `drop index concurrently if exists edge_routes_ended`,
  `create index concurrently edge_routes_ended on edge_routes (version)
    where route is null and suspended_route is null`,
];
