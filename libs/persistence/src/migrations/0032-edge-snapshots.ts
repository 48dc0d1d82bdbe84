import { sql, type Kysely } from 'kysely';

/** The snapshots of the route table in the file storage. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table edge_snapshots (
    id uuid primary key,
    epoch uuid not null,
    version bigint not null,
    -- Files of chunks that may exist: counted before each is written.
    chunks integer not null default 0,
    started_at timestamptz not null default now(),
    -- Null until it is complete, like the columns after it.
    finished_at timestamptz,
    hosts bigint,
    bytes bigint,
    manifest_sha256 text,
    manifest_bytes integer,
    -- The deletion of its files has begun: nobody may load it.
    deleting_at timestamptz
  )`,
];
