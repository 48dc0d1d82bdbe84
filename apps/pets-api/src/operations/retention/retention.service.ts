/**
 * Deletes rows whose life is over: one place for all tables, by the rules of `retention-rules.ts`. Every process looks each
 * minute; the row of a rule in `retention_tasks` elects one of them for each batch. Batches are short transactions with
 * pauses between them, so deletion takes a fifth of one connection at most, and a crash loses one batch.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { pause } from '@pets/async';
import type { Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { CLOCK, CONFIG, DATABASE, LOG } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { createEventPartitions } from './paged-rules.js';
import type { RetentionRule } from './retention-rule.js';
import { retentionRules, type RetentionSettings } from './retention-rules.js';
import { RetentionTasksRepository } from './retention-tasks.repository.js';

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
