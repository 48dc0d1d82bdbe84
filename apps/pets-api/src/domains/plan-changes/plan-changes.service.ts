/**
 * Custom domains after a change of the plan.
 *
 * When a plan no longer includes custom domains, `reconcilePlanChanges` records it in the transaction of the change. Domains
 * are served for another `PLAN_GRACE_DAYS`, with an issue that says until when. Then a loop suspends them, project by
 * project, like a suspension by the operator. Their certificates are renewed for 30 more days, so that an upgrade in that
 * time serves them immediately. An upgrade resumes them in the same way; after the 30 days it orders new certificates.
 *
 * The row in `plan_changes` is the schedule: it stays until every project is done, so when a process dies, the next round of
 * any replica continues. A transaction covers one project, which limits its size.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { graceEndsAt, renewalEndsAt } from '@pets/domains';
import type { Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG, DATABASE, LOG } from '../../platform/providers.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { SuspensionsService } from '../suspensions/suspensions.service.js';
import { PlanChangesRepository, type PlanChange } from './plan-changes.repository.js';

const REASON = 'the plan of the organization no longer includes custom domains';

/** Applies plan changes to custom domains. */
@Injectable()
export class PlanChangesService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'PLAN_GRACE_DAYS'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly changes: PlanChangesRepository,
    private readonly projects: ProjectsRepository,
    private readonly suspensions: SuspensionsService,
  ) {}

  /** Until when the custom domains of an organization are served; null while its plan includes them. */
  async findGraceEnd(organizationId: string): Promise<Date | null> {
    const since = await this.changes.findGraceStart(organizationId);
    return since === null ? null : graceEndsAt(since, this.config.PLAN_GRACE_DAYS);
  }

  /** Resumptions, and suspensions whose grace period is over. */
  listDue(limit: number): Promise<PlanChange[]> {
    return this.changes.listDue(graceEndsAt(this.clock(), -this.config.PLAN_GRACE_DAYS), limit);
  }

  /** Applies a change project by project. @returns false when the plan changes again, or the signal aborts */
  async apply(change: PlanChange, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      if (signal.aborted) return false;
      const projectId = await this.changes.findProject(change);
      if (projectId === null) break;
      if (!(await this.applyToProject(change, projectId))) return false;
    }
    await this.changes.delete(change);
    return true;
  }

  /** @returns false when the plan has changed again */
  private applyToProject(change: PlanChange, projectId: string): Promise<boolean> {
    const { organizationId, action } = change;
    const now = this.clock();
    return this.db.transaction().execute(async (tx) => {
      // The project first, as everywhere: adding a domain locks it before the organization.
      await this.projects.lock(tx, projectId);
      if (!(await this.changes.lock(tx, change))) return false;
      const target = { organizationId, projectId };
      if (action === 'resume') await this.suspensions.resumeIn(tx, target, 'plan', now);
      else {
        const suspension = { cause: 'plan', reason: REASON, renewsUntil: renewalEndsAt(now), by: null } as const;
        await this.suspensions.suspendIn(tx, target, suspension, now);
      }
      return true;
    });
  }
}

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
