import { sql, type Kysely } from 'kysely';

/** Names that are prepared for a switch of their DNS, for routes and for reports of handshakes. Frozen in time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists domains_prepared`,
  `create index concurrently domains_prepared on domains (name)
    where state = 'awaiting_dns' and prepared_at is not null`,
  `drop index concurrently if exists domains_prepared_by_project`,
  `create index concurrently domains_prepared_by_project on domains (project_id)
    where state = 'awaiting_dns' and prepared_at is not null`,
];
