import { sql, type Kysely } from 'kysely';

/**
 * The history moves from `domain_events` into `project_events`, which has a partition for each quarter: the oldest is dropped
 * when its lines are old. Readers read both through the view `domain_history`. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const columns = 'project_id, number, domain_id, type, from_state, to_state, detail, api_key_id, at';

const statements = [
  // Without foreign keys: projects are not deleted, and lines outlive their domain. A partition then locks no other table.
  // The counter of the project, which is locked, makes numbers unique; a key has to contain the time.
  `create table project_events (
    project_id uuid not null,
    number bigint not null,
    domain_id uuid not null,
    type text not null,
    from_state text,
    to_state text not null,
    detail text not null,
    api_key_id uuid,
    at timestamptz not null,
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
  `select create_event_partitions(now() + interval '6 months')`,
  // The version before reads the old table only: until its replicas are replaced, every line is written there.
  `create table project_events_start (
    only_row boolean primary key default true check (only_row),
    at timestamptz not null
  )`,
  `insert into project_events_start (at)
    select case when exists (select from domain_events) then now() + interval '1 hour' else now() end`,
  `create view domain_history as
    select ${columns} from domain_events union all select ${columns} from project_events`,
];
