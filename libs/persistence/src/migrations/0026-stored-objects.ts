import { sql, type Kysely } from 'kysely';

/**
 * What lies in the storage, who has it, and which deployments are kept, so that the rest can be deleted. Frozen in time, as
 * every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // A file of the storage. Deleted with the file.
  `create table stored_objects (
    id bigint generated always as identity primary key,
    key text not null unique,
    bytes bigint not null,
    -- Null while an organization has it.
    idle_since timestamptz,
    -- While it is being deleted: until then nobody may count on the file.
    deleting_at timestamptz
  )`,
  `create index stored_objects_idle on stored_objects (idle_since) where idle_since is not null`,
  // The files of one deployment, or of several of an organization that are the same. Deleted a day after no deployment of
  // them is kept.
  `create table bundles (
    id bigint generated always as identity primary key,
    organization_id uuid not null references organizations,
    content_hash text not null,
    object_ids bigint[] not null,
    -- Null while a deployment of it is kept.
    idle_since timestamptz,
    unique (organization_id, content_hash)
  )`,
  `create index bundles_idle on bundles (idle_since) where idle_since is not null`,
  // In how many of its bundles an organization has a file. Deleted with the last of them.
  `create table organization_objects (
    organization_id uuid not null references organizations,
    object_id bigint not null references stored_objects,
    bundles integer not null check (bundles > 0),
    primary key (organization_id, object_id)
  )`,
  `create index organization_objects_by_object on organization_objects (object_id)`,
  // The sum of the bytes of these files.
  `create table organization_storage (
    organization_id uuid primary key references organizations,
    bytes bigint not null check (bytes >= 0)
  )`,
  // Null for those of the version before, until they are registered, and for those whose files were given up.
  `alter table deployments add column bundle_id bigint`,
  `alter table deployments
    add constraint deployments_bundle_id_fkey foreign key (bundle_id) references bundles not valid`,
  `alter table deployments add column collected_at timestamptz`,
  `alter table deployments drop constraint deployments_state_check`,
  `alter table deployments
    add constraint deployments_state_check check (state in ('ready', 'collected')) not valid`,
];
