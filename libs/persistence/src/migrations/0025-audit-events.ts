import { sql, type Kysely } from 'kysely';

/** Who changed what, one row a change, that nobody can alter; and the scope to read it. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const scopes =
  `'pets:read', 'pets:write', 'orders:read', 'orders:write', 'domains:read', 'domains:write', ` +
  `'projects:read', 'projects:write', 'webhooks:read', 'webhooks:write', 'keys:read', 'keys:write'`;

const statements = [
  `create table audit_events (
    organization_id uuid not null references organizations,
    number bigint generated always as identity,
    id uuid not null default gen_random_uuid(),
    at timestamptz not null default now(),
    type text not null,
    actor_kind text not null,
    actor_id uuid,
    actor_display text,
    address inet,
    request_id text,
    subject_kind text not null,
    subject_id text not null,
    detail jsonb not null,
    primary key (organization_id, number)
  )`,
  `create index audit_events_by_time on audit_events (at)`,
  // Retention alone may delete, and says so in its transaction. Not even that can touch what is younger than a day.
  `create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and current_setting('pets.audit_retention', true) = 'on' and old.at < now() - interval '1 day' then
        return old;
      end if;
      raise exception 'audit events are append-only';
    end
  $$`,
  `create trigger audit_events_append_only before update or delete on audit_events
    for each row execute function refuse_audit_change()`,
  `create trigger audit_events_not_truncated before truncate on audit_events
    for each statement execute function refuse_audit_change()`,
  `alter table api_keys
    drop constraint api_keys_scopes_known,
    add constraint api_keys_scopes_known
      check (scopes <@ array[${scopes}, 'audit:read'] and cardinality(scopes) > 0) not valid`,
  // A key hands on only what it may do itself: without this nobody but the operator could ever give the new scope.
  `update api_keys set scopes = scopes || array['audit:read'] where scopes @> array[${scopes}]`,
];
