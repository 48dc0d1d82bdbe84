import { sql, type Kysely } from 'kysely';

/** Which certificates have an object in the storage. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table certificates
    -- Whether there may be an object: set before the first write, and unset after the deletion.
    add column has_object boolean not null default false,
    -- When the object was written with the chain and the sealed key of this row.
    add column object_written_at timestamptz,
    -- Until then one process alone writes or deletes the object.
    add column object_lease_until timestamptz`,
  // The version before rewraps keys, and does not know of objects.
  `create function certificates_expire_object() returns trigger language plpgsql as $$
    begin
      new.object_written_at := null;
      return new;
    end $$`,
  `create trigger certificates_expire_object before update of sealed_key on certificates
    for each row when (old.sealed_key is distinct from new.sealed_key) execute function certificates_expire_object()`,
];
