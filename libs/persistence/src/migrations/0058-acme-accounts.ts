import { sql, type Kysely } from 'kysely';

/** Several accounts at CAs, and pauses that CAs ask for. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // The account of older rows, and of those that the previous version adds, is the only one that it has.
  `alter table certificates add column account text not null default 'default'`,
  `alter table certificate_revocations add column account text not null default 'default'`,
  `alter table queued_orders add column account text not null default 'default'`,
  // The thumbprint that the route of the domain names; null for that of the feed.
  `alter table domains add column challenge_thumbprint text`,
  `alter table edges add column named_since bigint`,
  // What each running worker announced last.
  `create table acme_workers (
    worker_id text primary key,
    accounts jsonb not null,
    announced_at timestamptz not null
  )`,
  // Accounts that a CA has asked to pause: apex_name is '' then. Or a registered domain, for all accounts: account is ''.
  `create table ca_pauses (
    directory_url text not null,
    account text not null,
    apex_name text not null,
    paused_until timestamptz not null,
    detail text not null,
    primary key (directory_url, account, apex_name)
  )`,
  // Orders below a registered domain that is at its limit, and when its limit is looked at again.
  `create table limited_domains (
    directory_url text not null,
    apex_name text not null,
    check_at timestamptz not null,
    primary key (directory_url, apex_name)
  )`,
  `create index limited_domains_due on limited_domains (check_at)`,
  `create table parked_orders (
    domain_id uuid primary key references domains (id) on delete cascade,
    directory_url text not null,
    apex_name text not null,
    rank smallint not null,
    position bigint generated always as identity,
    parked_at timestamptz not null default now(),
    -- Since then it may be placed. Null while it waits.
    released_at timestamptz
  )`,
  `create index parked_orders_line on parked_orders (directory_url, apex_name, rank, position)
    where released_at is null`,
  `create index parked_orders_released on parked_orders (directory_url, apex_name, released_at)
    where released_at is not null`,
];
