import { sql, type Kysely } from 'kysely';

/** The few routes that a wildcard stands in for, which end when it changes hands. Frozen in time, as every migration. */
export const isConcurrent = true;

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `drop index concurrently if exists edge_routes_waiting`,
  `create index concurrently edge_routes_waiting on edge_routes (host)
    where route -> 'wildcardUntilCertified' is not null`,
];
