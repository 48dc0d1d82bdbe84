import { sql, type Kysely } from 'kysely';

/** Domains by what the metrics count them by. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  // Few distinct keys, so that the index has some 7 bytes a domain.
  `drop index concurrently if exists domains_by_state`,
  `create index concurrently domains_by_state on domains (state, misconfigured, certificate_alert)
    where state <> 'removed'`,
];
