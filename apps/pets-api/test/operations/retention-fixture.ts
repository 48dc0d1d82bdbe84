import type { Database } from '@pets/persistence';
import { createLogger } from '@pets/platform';
import { sql } from 'kysely';
import { z } from 'zod';
import { RetentionService, RetentionTasksRepository } from '../../src/operations/retention/retention.service.js';
import { ApiMetrics } from '../../src/platform/metrics/api-metrics.js';
import { retentionSettings } from '../../src/platform/retention-settings.js';
import { ShuttingDown } from '../../src/platform/shutting-down.js';
import { backgroundTasks } from '../platform/background-tasks.js';

/** The defaults of all settings about retention. */
export const retentionDefaults = z.object(retentionSettings).parse({});

export interface RetentionProcess {
  readonly service: RetentionService;
  /** Rows that it has deleted, by table. */
  readonly deleted: () => Promise<Partial<Record<string, number>>>;
}

/** The retention of one process, whose clock is some days ahead. */
export function createRetention(
  db: Database,
  { days = 0, log = createLogger('retention', 'silent') } = {},
): RetentionProcess {
  const metrics = new ApiMetrics();
  const clock = () => new Date(Date.now() + days * 86_400_000);
  const [tasks, repository] = [backgroundTasks(log), new RetentionTasksRepository(db)];
  const service = new RetentionService(
    repository,
    tasks,
    new ShuttingDown(),
    metrics,
    db,
    retentionDefaults,
    clock,
    log,
  );
  const deleted = async () => {
    const counts = await metrics.registry.getSingleMetric('pets_retention_deleted_rows_total')?.get();
    const byTable = counts?.values.map(({ labels, value }) => [labels['table'], value] as const) ?? [];
    return Object.fromEntries(byTable) as Partial<Record<string, number>>; // labels are names of tables
  };
  return { service, deleted };
}

/** Makes everything due now. */
export async function makeRetentionDue(db: Database): Promise<void> {
  await sql`update retention_tasks set next_at = now(), position = null`.execute(db);
}

/** Runs retention as a process does in some days. @returns the rows deleted, by table */
export async function runRetention(
  db: Database,
  options: { readonly days?: number } = {},
): ReturnType<RetentionProcess['deleted']> {
  const { service, deleted } = createRetention(db, options);
  await makeRetentionDue(db);
  await service.run();
  return deleted();
}
