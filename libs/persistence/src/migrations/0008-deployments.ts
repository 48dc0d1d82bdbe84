import { sql, type Kysely } from 'kysely';

/**
 * Deployments can be served again: the one that was uploaded or activated last is. Projects can ask for
 * Strict-Transport-Security. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table deployments add column activation bigint`,
  // Until now the newest was served.
  `update deployments set activation = number`,
  `create sequence deployments_activation owned by deployments.activation`,
  `select setval('deployments_activation', coalesce((select max(number) from deployments), 0) + 1, false)`,
  // The version before this one inserts without it while this one is being rolled out.
  `alter table deployments
    alter column activation set default nextval('deployments_activation'),
    alter column activation set not null`,
  `create index deployments_served on deployments (project_id, activation desc)`,
  `alter table projects add column hsts jsonb`,
];
