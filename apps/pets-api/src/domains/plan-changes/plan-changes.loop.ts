/**
 * Custom domains after a change of the plan.
 *
 * When a plan no longer includes custom domains, `reconcilePlanChanges` records it in the transaction of the change. Domains
 * are served for another `PLAN_GRACE_DAYS`, with an issue that says until when. Then this loop suspends them, project by
 * project, like a suspension by the operator. Their certificates are renewed for 30 more days, so that an upgrade in that
 * time serves them immediately. An upgrade resumes them in the same way; after the 30 days it orders new certificates.
 *
 * The row in `plan_changes` is the schedule: it stays until every project is done, so when a process dies, the next round of
 * any replica continues. A transaction covers one project, which limits its size.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { LOG } from '../../platform/providers.js';
import type { PlanChange } from './plan-changes.repository.js';
import { PlanChangesService } from './plan-changes.service.js';

/** Organizations per query. */
const BATCH = 20;

@Injectable()
export class PlanChangesLoop implements OnModuleInit {
  constructor(
    private readonly changes: PlanChangesService,
    private readonly tasks: BackgroundTasks,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.tasks.poll({
      channel: 'plan_changes',
      pollMs: 30_000,
      pauseMs: 100,
      failure: 'plan changes not read; trying again',
      round: (signal) => this.round(signal),
    });
  }

  private async round(signal: AbortSignal): Promise<void> {
    let applied = BATCH;
    // A failed change is retried in the next round, and does not delay the others.
    while (applied === BATCH && !signal.aborted) {
      applied = 0;
      for (const change of await this.changes.listDue(BATCH)) {
        if (await this.tryToApply(change, signal)) applied += 1;
      }
    }
  }

  private async tryToApply(change: PlanChange, signal: AbortSignal): Promise<boolean> {
    const { organizationId, action } = change;
    try {
      if (await this.changes.apply(change, signal))
        this.log.info({ organizationId, action }, 'plan change applied to domains');
      return true;
    } catch (error) {
      this.log.error({ err: error, organizationId, action }, 'plan change not applied to domains; trying again');
      return false;
    }
  }
}
