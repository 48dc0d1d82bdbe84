import { sql, type Kysely } from 'kysely';

/** Headers of attempts to deliver, and counts of attempts by endpoint and hour. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table webhook_attempts add column request_headers jsonb, add column response_headers jsonb`,
  // Statistics read at most 169 rows of an endpoint, however many deliveries it has.
  `create table webhook_statistics (
    endpoint_id uuid not null references webhook_endpoints on delete cascade,
    hour timestamptz not null,
    delivered integer not null,
    failed_attempts integer not null,
    failed integer not null,
    durations integer[] not null,
    primary key (endpoint_id, hour)
  ) with (fillfactor = 80)`,
  `create index webhook_statistics_by_hour on webhook_statistics (hour)`,
];
