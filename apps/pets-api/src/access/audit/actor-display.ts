import { sql, type RawBuilder } from 'kysely';

/**
 * The name of an actor, of the columns `<prefix>_kind`, `_id` and `_display`. That of a person is read from `people`, where it can
 * be deleted.
 */
export function actorDisplay(prefix: 'actor' | 'author' | 'created_by'): RawBuilder<string | null> {
  const [kind, id, display] = ['kind', 'id', 'display'].map((name) => sql.ref(`${prefix}_${name}`));
  return sql`case ${kind}
    when 'person' then (select coalesce(p.name, p.email) from people p where p.id = ${id}) else ${display} end`;
}
