import { sql, type Kysely } from 'kysely';

/** New orders and waiting orders by account. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists certificates_orders_of_account`,
  `create index concurrently certificates_orders_of_account on certificates (directory_url, account, created_at)
    where replaces is null and not is_renewal and ordered is distinct from false`,
  `drop index concurrently if exists certificates_new_orders`,
  `drop index concurrently if exists queued_orders_line_of_account`,
  `create index concurrently queued_orders_line_of_account
    on queued_orders (directory_url, account, rank, virtual_time, position) include (domain_id)
    where slot_given_at is null`,
  `drop index concurrently if exists queued_orders_line`,
  `drop index concurrently if exists queued_orders_of_organization_and_account`,
  `create index concurrently queued_orders_of_organization_and_account
    on queued_orders (directory_url, account, rank, organization_id, virtual_time) where slot_given_at is null`,
  `drop index concurrently if exists queued_orders_of_organization`,
  `drop index concurrently if exists queued_orders_given_of_account`,
  `create index concurrently queued_orders_given_of_account on queued_orders (directory_url, account, slot_given_at)
    where slot_given_at is not null`,
  `drop index concurrently if exists queued_orders_given`,
];
