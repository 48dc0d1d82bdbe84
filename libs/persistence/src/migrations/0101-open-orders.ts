import { sql, type Kysely } from 'kysely';

/** Orders that outlive the job that placed them. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['certificates', 'platform_certificates'])
    await sql
      .raw(
        `alter table ${table} add column order_url text, add column ordered_at timestamptz,
          add column order_expires_at timestamptz`,
      )
      .execute(db);
}
