import { sql, type Kysely } from 'kysely';

/** The open orders of domains: few at any time. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists certificates_open_orders`,
  `create index concurrently certificates_open_orders on certificates (domain_id)
    where state = 'pending' and order_url is not null`,
];
