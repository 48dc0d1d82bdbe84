/** History of domains, and imports. */
export const history: readonly string[] = [
  // Without foreign keys: projects are not deleted, and lines outlive their domain. A partition then locks no other table.
  // The counter of the project, which is locked, makes numbers unique; a key has to contain the time.
  `create table project_events (
    project_id uuid,
    number bigint,
    domain_id uuid not null,
    type text not null,
    from_state text,
    to_state text not null,
    detail text not null,
    api_key_id uuid,
    at timestamptz,
    primary key (project_id, number, at)
  ) partition by range (at)`,
  `create index project_events_by_domain on project_events (domain_id, number)`,
  // Lines of a time without a partition: nothing fails if partitions were not created for long.
  `create table project_events_rest partition of project_events default`,
  `create index project_events_rest_by_time on project_events_rest (at)`,
  // A quarter whose lines are in the rest already stays there. A lock that is not free at once stops readers: try again.
  `create function create_event_partitions(until timestamptz) returns void language plpgsql
    set timezone = 'UTC' set lock_timeout = '100ms' as $$
    declare
      starts timestamptz := date_trunc('quarter', now());
      ends timestamptz;
      partition text;
    begin
      while starts <= until loop
        ends := starts + interval '3 months';
        partition := to_char(starts, '"project_events_"YYYY_MM');
        if to_regclass(partition) is null
          and not exists (select from project_events_rest r where r.at >= starts and r.at < ends) then
          execute format('create table %I (like project_events including all)', partition);
          execute format('alter table project_events attach partition %I for values from (%L) to (%L)',
            partition, starts, ends);
        end if;
        starts := ends;
      end loop;
    end $$`,
  // The oldest one, if all its lines are older.
  `create function drop_event_partition(before timestamptz) returns boolean language plpgsql
    set timezone = 'UTC' set lock_timeout = '100ms' as $$
    declare
      partition text;
    begin
      select c.relname into partition from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'project_events'::regclass and c.relname ~ '^project_events_\\d{4}_\\d\\d$'
        and to_date(right(c.relname, 7), 'YYYY_MM') + interval '3 months' <= before
      order by c.relname limit 1;
      if partition is null then return false; end if;
      execute format('drop table %I', partition);
      return true;
    end $$`,
  `create table domain_imports (
    id uuid default gen_random_uuid() primary key,
    organization_id uuid not null references organizations,
    project_id uuid not null references projects,
    action text not null check (action in ('add', 'remove')),
    format text not null check (format in ('ndjson', 'csv')),
    state text not null default 'uploading'
      check (state in ('uploading', 'running', 'finished', 'cancelled', 'failed')),
    reason text,
    api_key_id uuid not null,
    requester jsonb not null,
    lines integer not null default 0,
    created integer not null default 0,
    existing integer not null default 0,
    removed integer not null default 0,
    refused integer not null default 0,
    next_piece integer not null default 0,
    due_at timestamptz not null,
    failures_in_a_row integer not null default 0,
    removed_version bigint,
    change_number bigint not null default 0,
    created_at timestamptz not null default now(),
    ended_at timestamptz,
    bytes bigint not null default 0
  )`,
  `create index domain_imports_due on domain_imports (due_at) where state = 'running'`,
  `create index domain_imports_by_project on domain_imports (project_id, created_at)`,
  `create index domain_imports_open on domain_imports (organization_id) where state in ('uploading', 'running')`,
  `create index domain_imports_by_end on domain_imports (ended_at) where ended_at is not null`,
  `create table domain_import_pieces (
    import_id uuid references domain_imports on delete cascade,
    number integer,
    lines jsonb not null,
    results jsonb,
    primary key (import_id, number)
  )`,
  `select create_event_partitions(now() + interval '6 months')`,
];
