import { sql, type Kysely } from 'kysely';

/** Scopes, expiry and last use of API keys; sessions. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const scopes =
  `array['pets:read', 'pets:write', 'orders:read', 'orders:write', 'domains:read', 'domains:write', ` +
  `'projects:read', 'projects:write', 'webhooks:read', 'webhooks:write', 'keys:read', 'keys:write']`;

const statements = [
  // Keys from before scopes may do what they could: all of it. The default stays for the version before this one, which
  // may still make keys while this one is being rolled out.
  `alter table api_keys
    add column scopes text[] not null default ${scopes}
      constraint api_keys_scopes_known check (scopes <@ ${scopes} and cardinality(scopes) > 0),
    add column expires_at timestamptz,
    add column last_used_at timestamptz`,
  `create index api_keys_by_organization on api_keys (organization_id, created_at)`,
  `create table sessions (
    id uuid primary key default gen_random_uuid(),
    api_key_id uuid not null references api_keys,
    hash bytea not null unique,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  `create index sessions_by_api_key on sessions (api_key_id, expires_at)`,
];
