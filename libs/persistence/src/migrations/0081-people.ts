import { sql, type Kysely } from 'kysely';

/**
 * People who sign in with an identity provider, invitations, and the scopes for both. The sessions of a person are below a row
 * of `api_keys` that nobody has the key of, so everything that ends or limits sessions holds for them. Frozen in time, as
 * every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const former =
  `'pets:read', 'pets:write', 'orders:read', 'orders:write', 'domains:read', 'domains:write', 'projects:read', ` +
  `'projects:write', 'webhooks:read', 'webhooks:write', 'keys:read', 'keys:write', 'audit:read'`;
const added = `'people:read', 'people:write', 'owners:write'`;
const roles = `'owner', 'admin', 'developer', 'viewer'`;

const statements = [
  `alter table api_keys
    add column is_person boolean not null default false,
    drop constraint api_keys_scopes_known,
    add constraint api_keys_scopes_known
      check (scopes <@ array[${former}, ${added}] and cardinality(scopes) > 0) not valid`,
  `create table people (
    id uuid primary key default gen_random_uuid(),
    organization_id uuid not null references organizations,
    issuer text not null,
    subject text not null,
    name text,
    email text,
    role text not null check (role in (${roles})),
    api_key_id uuid unique references api_keys on delete set null,
    created_at timestamptz not null default now(),
    last_sign_in_at timestamptz not null,
    removed_at timestamptz
  )`,
  // A person belongs to one organization.
  `create unique index people_by_subject on people (issuer, subject) where removed_at is null`,
  `create index people_by_organization on people (organization_id, created_at, id) where removed_at is null`,
  `create index people_removed_by_subject on people (issuer, subject) where removed_at is not null`,
  `create table invitations (
    id uuid primary key default gen_random_uuid(),
    organization_id uuid not null references organizations,
    name text not null,
    role text not null check (role in (${roles})),
    hash bytea not null unique,
    api_key_id uuid references api_keys on delete cascade,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  `create index invitations_by_organization on invitations (organization_id, created_at, id)`,
  `create index invitations_by_api_key on invitations (api_key_id)`,
  `create index invitations_by_expiry on invitations (expires_at)`,
];
