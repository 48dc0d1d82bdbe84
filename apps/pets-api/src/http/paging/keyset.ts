/**
 * Pages of lists with filters, by keyset: a page begins after the position of the last row of the page before it.
 *
 * An index gives the order, and conditions that it supports are part of the query. Other filters are evaluated for each
 * row in this order, for at most `SCANNED` rows a page: so a page costs the same in a list of any length. Where few rows
 * match, a page has fewer entries than its limit, or none, and still has a `Link` to the next one.
 */
import type { Database } from '@pets/persistence';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { BEFORE_ALL, type FoundPage, type PageBounds } from './pages.js';

/** Rows that a page reads at most, where a filter has no index. */
const SCANNED = 1_000;

/** An order of rows, and their positions in it. Its columns identify a row, and an index has them in this order. */
export interface Keyset {
  /** Text, for a cursor. */
  readonly position: RawBuilder<string>;
  /** For `order by`. */
  readonly order: RawBuilder<unknown>;
  /** Condition: what follows a position. */
  readonly after: (position: string) => RawBuilder<SqlBool>;
  /** Condition of the first page, if it has one. */
  readonly first?: RawBuilder<SqlBool>;
}

/** Order by `created_at` and `id` of a table. */
export function byCreation(alias: string, sort: string | undefined): Keyset {
  const [createdAt, id] = [sql.ref(`${alias}.created_at`), sql.ref(`${alias}.id`)];
  const { comparison, suffix } = directionOf(sort);
  return {
    // The time to the microsecond, as PostgreSQL keeps it.
    position: sql`(extract(epoch from ${createdAt}) * 1000000)::bigint || ' ' || ${id}`,
    order: sql`${createdAt} ${suffix}, ${id} ${suffix}`,
    after: (position) => {
      const [micros, lastId] = position.split(' ');
      const last = sql`(timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond', ${lastId}::uuid)`;
      return sql`(${createdAt}, ${id}) ${comparison} ${last}`;
    },
  };
}

/** Order by a column that is unique in the list, in the order of bytes. */
export function byText(column: string, sort: string | undefined): Keyset {
  const { comparison, suffix } = directionOf(sort);
  const text = sql`${sql.ref(column)} collate "C"`;
  return {
    position: sql`${sql.ref(column)}`,
    order: sql`${text} ${suffix}`,
    after: (position) => sql`${text} ${comparison} ${position}`,
  };
}

/** Order by a `bigint` column that is unique in the list. */
export function byNumber(column: string, sort: string | undefined): Keyset {
  const { comparison, suffix } = directionOf(sort);
  return {
    position: sql`${sql.ref(column)}::text`,
    order: sql`${sql.ref(column)} ${suffix}`,
    after: (position) => sql`${sql.ref(column)} ${comparison} ${position}::bigint`,
  };
}

/**
 * Descending order by a `bigint` column, of the rows that have one value in another column. Bounds in place of an equation make
 * the other column part of the order, so that no plan reads an index without it, in which these rows may be far away.
 */
export function byNumberOf(
  column: string,
  owner: string,
  value: RawBuilder<string>,
): Keyset & { within: RawBuilder<SqlBool> } {
  const [number, of] = [sql.ref(column), sql.ref(owner)];
  return {
    position: sql`${number}::text`,
    order: sql`${of} desc, ${number} desc`,
    within: sql`${of} >= ${value}`,
    first: sql`${of} <= ${value}`,
    after: (position) => sql`(${of}, ${number}) < (${value}, ${position}::bigint)`,
  };
}

/** @param sort a parameter such as `name` or `-name` */
function directionOf(sort: string | undefined) {
  return sort?.startsWith('-') === true
    ? { comparison: sql`<`, suffix: sql`desc` }
    : { comparison: sql`>`, suffix: sql`asc` };
}

export interface PageQuery {
  /** Tables with aliases, for `from`. */
  readonly from: RawBuilder<unknown>;
  /** The column of the id, if it is not `id`. */
  readonly id?: string;
  /** Conditions that the index of the order supports. */
  readonly where: RawBuilder<SqlBool>;
  readonly keyset: Keyset;
  /** Conditions without an index: see above. */
  readonly filters: readonly RawBuilder<SqlBool>[];
}

/** Ids of the rows of a page, in order, and where the next page begins; null after the last one. */
export interface PageOfIds {
  readonly ids: readonly string[];
  readonly next: string | null;
}

/** @param bounds with the limit of the page, not one more */
export async function findPage(db: Database, query: PageQuery, bounds: PageBounds): Promise<PageOfIds> {
  const { rows } = await pageStatement(query, bounds).execute(db);
  const matches = rows.filter(({ isMatch }) => isMatch);
  const ids = matches.slice(0, bounds.limit).map(({ id }) => id);
  const last = matches[bounds.limit - 1];
  if (matches.length > bounds.limit && last !== undefined) return { ids, next: last.position };
  // The last row that was read, which may not match, if the statement stopped at its limit.
  const end = rows.at(-1);
  const isCut = query.filters.length > 0 && end !== undefined && end.nth === SCANNED;
  return { ids, next: isCut ? end.position : null };
}

/** Reads the rows of a page, and puts them in its order. */
export async function readPage<Row extends { readonly id: string | bigint }>(
  { ids, next }: PageOfIds,
  read: (ids: readonly string[]) => Promise<readonly Row[]>,
): Promise<FoundPage<Row>> {
  if (ids.length === 0) return { rows: [], next };
  const byId = new Map((await read(ids)).map((row) => [String(row.id), row]));
  return { rows: ids.flatMap((id) => byId.get(id) ?? []), next };
}

/** Condition: a text column contains a text, without regard to case. */
export function containsText(column: string, text: string): RawBuilder<SqlBool> {
  return sql`strpos(lower(${sql.ref(column)}), lower(${text})) > 0`;
}

/** The rows that match, and the last one that was read. */
export function pageStatement(
  { from, id = 'id', where, keyset, filters }: PageQuery,
  { limit, afterId }: PageBounds,
): RawBuilder<{ readonly id: string; readonly position: string; readonly isMatch: boolean; readonly nth: number }> {
  const after = afterId === BEFORE_ALL ? (keyset.first ?? sql`true`) : keyset.after(afterId);
  const isMatch = filters.length === 0 ? sql`true` : sql`coalesce(${sql.join(filters, sql` and `)}, false)`;
  return sql`
    select id::text as id, position, "isMatch", nth::integer as nth
    from (
      select s.*, row_number() over () as nth, count(*) over () as total
      from (
        select ${sql.ref(id)} as id, ${keyset.position} as position, ${isMatch} as "isMatch"
        from ${from} where ${where} and ${after}
        order by ${keyset.order} limit ${filters.length === 0 ? limit + 1 : SCANNED}
      ) s
    ) n
    where "isMatch" or nth = total order by nth`;
}
