/** Animals and orders. */
export const store: readonly string[] = [
  // PostgreSQL calls to_json stable since it takes any type; of text it depends on nothing.
  `create function json_string(content text) returns text language sql immutable parallel safe strict
    as $$ select to_json(content)::text $$`,
  `create table pets (
    id bigint generated always as identity primary key,
    organization_id uuid not null references organizations,
    name text not null,
    category_id bigint not null,
    status text not null check (status in ('available', 'pending', 'sold')),
    created_at timestamptz not null default now(),
    -- The answer of the API about the animal: a list is put together from these texts.
    as_json text not null generated always as (
      '{"id":' || id || ',"name":' || json_string(name) || ',"categoryId":' || category_id || ',"status":"' || status || '"}'
    ) stored
  )`,
  `create index pets_by_organization on pets (organization_id, id)`,
  `create index pets_by_status on pets (organization_id, status, id)`,
  `create table orders (
    id bigint generated always as identity primary key,
    organization_id uuid not null references organizations,
    pet_id bigint not null references pets,
    quantity integer not null check (quantity >= 1 and quantity <= 100),
    status text not null default 'placed' check (status in ('placed', 'fulfilled', 'cancelled')),
    created_at timestamptz not null default now()
  )`,
  `create index orders_by_organization on orders (organization_id, id)`,
  `create index orders_by_status on orders (organization_id, status, id)`,
  // Whatever the code does: an animal is promised to one order at a time.
  `create unique index orders_one_placed_a_pet on orders (pet_id) where status = 'placed'`,
];
