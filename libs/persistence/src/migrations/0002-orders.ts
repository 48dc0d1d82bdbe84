import { sql, type Kysely } from 'kysely';

/** Frozen in time, as every migration: it says what the database was, not what the code is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table orders (
    id bigint generated always as identity primary key,
    organization_id uuid not null references organizations,
    pet_id bigint not null references pets,
    quantity integer not null check (quantity between 1 and 100),
    status text not null default 'placed' check (status in ('placed', 'fulfilled', 'cancelled')),
    created_at timestamptz not null default now()
  )`,
  `create index orders_by_organization on orders (organization_id, id)`,
  `create index orders_by_status on orders (organization_id, status, id)`,
  // Whatever the code does: an animal is promised to one order at a time.
  `create unique index orders_one_placed_a_pet on orders (pet_id) where status = 'placed'`,
  // The day is the UTC date as text: a date column would be read in the time zone of the process.
  `create table deprecated_calls (
    operation text not null,
    day text not null check (day ~ '^\\d{4}-\\d{2}-\\d{2}$'),
    api_key_id uuid not null,
    calls bigint not null,
    primary key (operation, day, api_key_id)
  )`,
];
