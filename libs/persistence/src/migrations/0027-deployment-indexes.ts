import { sql, type Kysely } from 'kysely';

/** What the collection of deployments looks for. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  // Of the version before, and not yet registered.
  `drop index concurrently if exists deployments_unregistered`,
  `create index concurrently deployments_unregistered on deployments (number)
    where bundle_id is null and state = 'ready'`,
  `drop index concurrently if exists deployments_by_bundle`,
  `create index concurrently deployments_by_bundle on deployments (bundle_id, state) where bundle_id is not null`,
  // Whose files are yet to be given up.
  `drop index concurrently if exists deployments_to_release`,
  `create index concurrently deployments_to_release on deployments (collected_at)
    where bundle_id is not null and state = 'collected'`,
  // Whose rows are yet to be deleted.
  `drop index concurrently if exists deployments_collected`,
  `create index concurrently deployments_collected on deployments (collected_at) where state = 'collected'`,
];
