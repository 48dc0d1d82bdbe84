/**
 * Deletes rows whose life is over: one place for all tables, by the rules of `retention-rules.ts`. Every process looks each
 * minute; the row of a rule in `retention_tasks` elects one of them for each batch. Batches are short transactions with
 * pauses between them, so deletion takes a fifth of one connection at most, and a crash loses one batch.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { pause } from '@pets/async';
import type { Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { sql } from 'kysely';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { CLOCK, CONFIG, DATABASE, LOG } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { createEventPartitions, type ClearedBatch, type RetentionRule } from './retention-rule.js';
import { retentionRules, type RetentionSettings } from './retention-rules.js';

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

const EVERY_MS = 60_000;
const FAILURE = 'old rows not deleted';
const MIN_PAUSE_MS = 100;
/** Four times what the batch took. */
const PAUSE_RATIO = 4;
/** The next batch is due by the clock of the database. */
const MARGIN_MS = 20;

@Injectable()
export class RetentionService implements OnModuleInit {
  private readonly rules: readonly RetentionRule[];

  constructor(
    private readonly retention: RetentionTasksRepository,
    private readonly tasks: BackgroundTasks,
    private readonly shuttingDown: ShuttingDown,
    private readonly metrics: ApiMetrics,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) config: RetentionSettings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {
    this.rules = retentionRules(config);
  }

  /** No line of history is written before. */
  async onModuleInit(): Promise<void> {
    this.tasks.repeat({ everyMs: EVERY_MS, failure: FAILURE, run: () => this.run() });
    try {
      await createEventPartitions(this.db);
    } catch (error) {
      this.log.warn({ err: error }, 'partitions of the history not created');
    }
  }

  /** Deletes batch by batch, of every table in turn, until nothing is due. */
  async run(): Promise<void> {
    const { signal } = this.shuttingDown;
    await this.retention.register(this.rules);
    let due = this.rules;
    while (due.length > 0 && !signal.aborted) {
      const unfinished: RetentionRule[] = [];
      const beganMs = performance.now();
      for (const rule of due) if (!signal.aborted && (await this.runBatch(rule))) unfinished.push(rule);
      due = unfinished;
      if (due.length > 0) await pause(pauseAfter(performance.now() - beganMs) + MARGIN_MS, signal);
    }
  }

  /** @returns whether there is more to delete; false as well when another process does, or it failed */
  private async runBatch(rule: RetentionRule): Promise<boolean> {
    const { table } = rule;
    try {
      const before = new Date(this.clock().getTime() - rule.keptMs);
      const cleared = await this.retention.runBatch(rule, before, pauseAfter);
      if (cleared === null) return false;
      this.metrics.deletedRows(table, cleared.deleted);
      return cleared.next !== null;
    } catch (error) {
      this.log.warn({ err: error, table }, FAILURE);
      return false;
    }
  }
}

function pauseAfter(tookMs: number): number {
  return Math.max(MIN_PAUSE_MS, PAUSE_RATIO * tookMs);
}
