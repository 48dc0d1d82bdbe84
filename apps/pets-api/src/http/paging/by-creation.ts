import type { Tables } from '@pets/persistence';
import { sql, type RawBuilder, type SelectQueryBuilder, type SqlBool } from 'kysely';
import { BEFORE_ALL, type PageBounds, type Positioned } from './pages.js';

/**
 * The place of a row without a number in the order of creation: the time to the microsecond, as PostgreSQL keeps it,
 * and the id, since several rows may have one time. It stays valid when its row is deleted.
 */
const position: RawBuilder<string> = sql`(extract(epoch from created_at) * 1000000)::bigint || ' ' || id`;

/** Reads a page of a table with `created_at` and `id`, in order of creation. */
export async function listByCreation<Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  { limit, afterId }: PageBounds,
): Promise<Positioned<Row>[]> {
  const rows = await query
    .select(position.as('position'))
    .where(isAfter(afterId))
    .orderBy(sql`created_at`)
    .orderBy(sql`id`)
    .limit(limit)
    .execute();
  // `row` is `Row` without `position`, which the compiler does not see for a generic row.
  return rows.map(({ position: own, ...row }) => ({ row: row as Row, position: own }));
}

/** Condition: what follows a position. */
function isAfter(afterPosition: string): RawBuilder<SqlBool> {
  if (afterPosition === BEFORE_ALL) return sql`true`;
  const [micros, id] = afterPosition.split(' ');
  return sql`(created_at, id) > (timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${id}::uuid)`;
}
