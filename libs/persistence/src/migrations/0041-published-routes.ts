import { sql, type Kysely } from 'kysely';

/** The current routes of a project, without reading those that ended. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists edge_routes_served_by_project`,
  `create index concurrently edge_routes_served_by_project on edge_routes (project_id)
    where coalesce(suspended_route, route) is not null`,
];
