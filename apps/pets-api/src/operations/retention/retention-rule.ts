import type { Tx } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';

/** Bounds of the rows that the next batch of a rule deletes. */
export interface Batch {
  /** Older rows are deleted. */
  readonly before: Date;
  /** Position at which the batch before ended; null for the first one of a pass. */
  readonly after: string | null;
  readonly limit: number;
}

export interface ClearedBatch {
  readonly deleted: number;
  /** Position at which the next batch begins; null when the pass is complete. */
  readonly next: string | null;
}

/** The life of the rows of a table. */
export interface RetentionRule {
  /** Label of its metrics, and name of its task: the table. Uploaded certificates have a rule beside that of ordered ones. */
  readonly table: string;
  readonly keptMs: number;
  /** How long after one pass the next one begins. */
  readonly everyMs: number;
  /** Rows a transaction: each takes some 10 ms, so that no vacuum, backup or request waits for it. */
  readonly batch: number;
  /** Deletes the oldest rows, found by an index, and skips locked ones. A test checks each plan. */
  readonly clear: (tx: Tx, batch: Batch) => Promise<ClearedBatch>;
  /** The time of the oldest row, by which it will be deleted; null when there is none. */
  readonly findOldest: (tx: Tx) => Promise<Date | null>;
}

/**
 * Deletes rows by one of their columns, the oldest first. A batch begins where the one before ended: until a vacuum, an index
 * still has the deleted rows, which every batch would read again while an old snapshot is open.
 */
export function deleteOldest(table: string, column: string): Pick<RetentionRule, 'clear' | 'findOldest'> {
  const [from, time] = [sql.table(table), sql.ref(column)];
  return {
    clear: async (tx, { before, after, limit }) => {
      const { rows } = await sql<{ deleted: number; read: number; last: string | null }>`
        with page as materialized (
          select ctid, ${time} as at from ${from}
          where ${time} < ${before} ${after === null ? sql`` : sql`and ${time} >= ${after}`}
          order by ${time} limit ${limit} for update skip locked
        ), deleted as (
          delete from ${from} where ctid = any(array(select ctid from page)) returning 1
        )
        select (select count(*) from deleted)::integer as deleted, count(*)::integer as read, max(at)::text as last
        from page`.execute(tx);
      const { deleted, read, last } = rows[0] ?? { deleted: 0, read: 0, last: null };
      return { deleted, next: read < limit ? null : last };
    },
    findOldest: (tx) =>
      findFirst(tx, sql`select ${time} as at from ${from} where ${time} is not null order by ${time}`),
  };
}

/** Deletes the rows of a query of `ctid`. Without a position, so only for tables of which little is deleted. */
export async function deleteRows(
  tx: Tx,
  table: string,
  query: RawBuilder<unknown>,
  limit: number,
): Promise<ClearedBatch> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(${query} limit ${limit} for update skip locked))`.execute(
    tx,
  );
  return withoutPosition(Number(numAffectedRows), limit);
}

/** A batch that begins with the oldest row, as the next one will. */
export function withoutPosition(deleted: number, limit: number): ClearedBatch {
  return { deleted, next: deleted < limit ? null : '' };
}

/** The `at` of the first row of a query. */
export async function findFirst(tx: Tx, query: RawBuilder<unknown>): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`${query} limit 1`.execute(tx);
  return rows[0]?.at ?? null;
}
