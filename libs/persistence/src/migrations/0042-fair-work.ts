import { sql, type Kysely } from 'kysely';

/**
 * The organization and the priority of due work, by which it is claimed. Frozen in time, as every migration.
 *
 * Null in rows that were written before, until a task of pets-api has filled them. The version before does not write the
 * columns, so a trigger fills its new rows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table domain_work
    add column organization_id uuid,
    -- 0: a person is waiting; 1: a first certificate; 2: a renewal that is late; 3: everything else.
    add column priority smallint`,
  `create function domain_work_fill() returns trigger language plpgsql as $$
    begin
      new.organization_id := (select organization_id from domains where id = new.domain_id);
      new.priority := coalesce(new.priority, case new.kind when 'issuance' then 1 else 3 end);
      return new;
    end $$`,
  `create trigger domain_work_fill before insert on domain_work
    for each row when (new.organization_id is null) execute function domain_work_fill()`,
];
