import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import type { ClearedBatch, RetentionRule } from './retention-rule.js';

/** A batch that takes longer is too large, or waits for something. */
const STATEMENT_LIMIT_MS = 5_000;
const LOCK_LIMIT_MS = 1_000;

/** The row of each rule: when its next batch is due. Its lock elects the process that runs the batch. */
@Injectable()
export class RetentionTasksRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async register(rules: readonly RetentionRule[]): Promise<void> {
    await sql`
      insert into retention_tasks (name) select unnest(${rules.map(({ table }) => table)}::text[])
      on conflict do nothing`.execute(this.db);
  }

  /**
   * Runs the next batch of a rule in one short transaction: if the process dies, nothing has happened. The next one is due
   * after a pause for the whole cluster, however many processes there are.
   * @param pauseMs between two batches, from the duration of the last one
   * @returns null when it is not due, or another process runs it
   */
  runBatch(
    { table, batch: limit, everyMs, clear, findOldest }: RetentionRule,
    before: Date,
    pauseMs: (tookMs: number) => number,
  ): Promise<ClearedBatch | null> {
    return this.db.transaction().execute(async (tx) => {
      await sql`select set_config('statement_timeout', ${String(STATEMENT_LIMIT_MS)}, true),
        set_config('lock_timeout', ${String(LOCK_LIMIT_MS)}, true)`.execute(tx);
      const { rows } = await sql<{ position: string | null }>`
        select position from retention_tasks where name = ${table} and next_at <= now()
        for update skip locked`.execute(tx);
      const [task] = rows;
      if (task === undefined) return null;
      const beganMs = performance.now();
      const cleared = await clear(tx, { before, after: task.position, limit });
      const isComplete = cleared.next === null;
      const waitMs = isComplete ? everyMs : pauseMs(performance.now() - beganMs);
      const completed = isComplete
        ? sql`, completed_at = now(), oldest_at = ${await findOldest(tx)}::timestamptz`
        : sql``;
      await sql`
        update retention_tasks set position = ${cleared.next},
          next_at = clock_timestamp() + make_interval(secs => ${waitMs / 1_000}::float8) ${completed}
        where name = ${table}`.execute(tx);
      return cleared;
    });
  }
}
