import { sql, type Kysely } from 'kysely';

/** When the last edge stopped serving a removed domain, so that its owner can be told. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // Missing also in what the version before this one removes while this one is being rolled out: told as any other.
  `alter table domains add column traffic_stopped_at timestamptz`,
  `update domains set traffic_stopped_at = removed_at where state = 'removed'`,
  `create index domains_traffic_stopping on domains (removed_version)
    where removed_version is not null and traffic_stopped_at is null`,
];
