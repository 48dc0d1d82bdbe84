/** Readings, retention and backups. */
export const operations: readonly string[] = [
  `create table shared_readings (
    name text primary key,
    value jsonb,
    read_at timestamptz,
    due_at timestamptz not null
  )`,
  `create table retention_tasks (
    name text primary key,
    next_at timestamptz not null default now(),
    position text,
    completed_at timestamptz not null default now(),
    oldest_at timestamptz
  )`,
  `create table last_backup (
    only_row boolean default true primary key check (only_row),
    finished_at timestamptz not null,
    bytes bigint not null check (bytes >= 0),
    interval_seconds bigint not null check (interval_seconds > 0)
  )`,
];
