/**
 * The history is in a partition of `project_events` for each quarter, and in `project_events_rest`, which has the lines of a
 * quarter without a partition.
 * Partitions are created two quarters ahead, by the migration, at the start of each process and every hour; only if none of
 * these succeeded for so long, lines go to the rest. Old lines are deleted, old partitions dropped.
 */
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { deleteOldest, findFirst, type RetentionRule } from './retention-rule.js';

/** @throws Error when a lock is not free: the history is in use by a transaction of another kind, such as a backup */
export async function createEventPartitions(db: Database | Tx): Promise<void> {
  await sql`select create_event_partitions(now() + interval '6 months')`.execute(db);
}

const rest = deleteOldest('project_events_rest', 'at');

/** Drops one partition at a time: everybody else waits meanwhile. */
export const oldEvents: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: async (tx, batch) => {
    const cleared = await rest.clear(tx, batch);
    if (cleared.next !== null) return cleared;
    const { rows } = await sql<{ isDropped: boolean }>`
      select drop_event_partition(${batch.before}) as "isDropped"`.execute(tx);
    if (rows[0]?.isDropped === true) return { ...cleared, next: '-infinity' };
    await createEventPartitions(tx);
    return cleared;
  },
  /** Of the oldest partition its beginning. */
  findOldest: (tx) =>
    findFirst(
      tx,
      sql`select least(
          (select at from project_events_rest order by at limit 1),
          (select min(to_date(right(c.relname, 7), 'YYYY_MM'))::timestamptz
            from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'project_events'::regclass and c.relname ~ '^project_events_\\d{4}_\\d\\d$')
        ) as at`,
    ),
};
