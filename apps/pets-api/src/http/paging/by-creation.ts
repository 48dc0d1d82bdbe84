import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { BEFORE_ALL, type Positioned } from './pages.js';

/**
 * The place of a row without a number in the order of creation: the time to the microsecond, as PostgreSQL keeps it,
 * and the id, since several rows may have one time. It stays valid when its row is deleted. To select from a table with
 * `created_at` and `id`.
 */
export const position: RawBuilder<string> = sql`(extract(epoch from created_at) * 1000000)::bigint || ' ' || id`;

/** Condition: what follows a position. */
export function isAfter(afterPosition: string): RawBuilder<SqlBool> {
  if (afterPosition === BEFORE_ALL) return sql`true`;
  const [micros, id] = afterPosition.split(' ');
  return sql`(created_at, id) > (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${id}::uuid)`;
}

export function positioned<Row extends { readonly position: string }>({
  position: own,
  ...row
}: Row): Positioned<Omit<Row, 'position'>> {
  return { row, position: own };
}
