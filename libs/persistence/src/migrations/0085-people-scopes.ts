import { sql, type Kysely } from 'kysely';

/**
 * The scopes for people, for keys that have every other: a key hands on only what it may do itself, and without this nobody but
 * the operator could ever invite. Outside a transaction, so that requests wait for one page at most, and repeatable. Frozen in
 * time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (let after: string | null = NIL; after !== null; after = await addScopes(db, after));
}

export const isConcurrent = true;

const NIL = '00000000-0000-0000-0000-000000000000';

const PAGE = sql.raw('1000');

const former = sql.raw(
  `array['pets:read', 'pets:write', 'orders:read', 'orders:write', 'domains:read', 'domains:write', 'projects:read', ` +
    `'projects:write', 'webhooks:read', 'webhooks:write', 'keys:read', 'keys:write', 'audit:read']`,
);
const added = sql.raw(`array['people:read', 'people:write', 'owners:write']`);

/** @returns the last key of the page; null after the last page */
async function addScopes(db: Kysely<unknown>, after: string): Promise<string | null> {
  const { rows } = await sql<{ last: string | null }>`
    with page as materialized (
      select id from api_keys where id > ${after} order by id limit ${PAGE}
    ), changed as (
      update api_keys k set scopes = k.scopes || ${added} from page p
      where k.id = p.id and k.scopes @> ${former} and not k.scopes && ${added} and not k.is_person
    )
    select (select id from page order by id desc limit 1)::text as last`.execute(db);
  return rows[0]?.last ?? null;
}
