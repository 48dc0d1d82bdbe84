import { sql, type Kysely } from 'kysely';

/** Orders that wait for a slot of an account at a CA. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table queued_orders (
    domain_id uuid primary key references domains (id) on delete cascade,
    organization_id uuid not null,
    directory_url text not null,
    -- A lower rank is served first, then a lower virtual time, which is the round of a weighted round robin.
    rank smallint not null,
    virtual_time double precision not null,
    position bigint generated always as identity,
    queued_at timestamptz not null default now(),
    -- Since then it may be placed, for a short time. Null while it waits.
    slot_given_at timestamptz
  )`,
  `create index queued_orders_line on queued_orders (directory_url, rank, virtual_time, position) include (domain_id)
    where slot_given_at is null`,
  `create index queued_orders_of_organization on queued_orders (directory_url, rank, organization_id, virtual_time)
    where slot_given_at is null`,
  `create index queued_orders_given on queued_orders (directory_url, slot_given_at) where slot_given_at is not null`,
];
