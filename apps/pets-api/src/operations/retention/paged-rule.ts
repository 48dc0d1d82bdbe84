import type { Tx } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import type { Batch, ClearedBatch } from './retention-rule.js';

/** A table with rows that outlive their time while something needs them. */
interface PagedTable {
  readonly table: string;
  /** The time of a row, as in the index that begins with it and ends with the id. */
  readonly time: RawBuilder<unknown>;
  /** Condition of that index. */
  readonly isOld: RawBuilder<unknown>;
  /** Whether nothing needs a row `r` any more. */
  readonly isFree: RawBuilder<unknown>;
  /** Statements that delete the rows with the ids in `free`, as common table expressions; the last one is `deleted`. */
  readonly deletions: RawBuilder<unknown>;
}

/**
 * Deletes the old rows that nothing needs. A pass reads every old row once, page by page, and leaves the others for the next
 * pass: without a position, those would fill every page.
 */
export async function clearPage(
  tx: Tx,
  { table, time, isOld, isFree, deletions }: PagedTable,
  { before, after, limit }: Batch,
): Promise<ClearedBatch> {
  const [afterTime = null, afterId = null] = after?.split('|') ?? [];
  const isAfter = after === null ? sql`true` : sql`(${time}, id) > (${afterTime}::timestamptz, ${afterId}::uuid)`;
  const { rows } = await sql<{ deleted: number; read: number; last: string | null }>`
    with page as materialized (
      select id, ${time} as at from ${sql.table(table)}
      where ${isOld} and ${time} < ${before} and ${isAfter} order by ${time}, id limit ${limit}
    ), free as materialized (
      select r.* from ${sql.table(table)} r where r.id = any(array(select id from page)) and ${isFree}
      for update skip locked
    ), ${deletions}
    select (select count(*) from deleted)::integer as deleted, count(*)::integer as read,
      (select at || '|' || id from page order by at desc, id desc limit 1) as last
    from page`.execute(tx);
  const { deleted, read, last } = rows[0] ?? { deleted: 0, read: 0, last: null };
  return { deleted, next: read < limit ? null : last };
}
