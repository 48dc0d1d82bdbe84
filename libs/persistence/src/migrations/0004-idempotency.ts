import { sql, type Kysely } from 'kysely';

/** Answers kept for repeated requests. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table idempotent_answers (
    api_key_id uuid not null references api_keys,
    path text not null,
    key text not null check (length(key) between 1 and 255),
    fingerprint bytea not null,
    location text,
    answer text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    primary key (api_key_id, path, key)
  )`,
  `create index idempotent_answers_by_expiry on idempotent_answers (expires_at)`,
];
