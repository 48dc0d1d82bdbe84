/**
 * Custom domains after a change of the plan.
 *
 * When a plan no longer includes custom domains, `reconcilePlanChanges` notes it in the transaction of the change. Domains
 * are served for `PLAN_GRACE_DAYS` more, each with an issue that says until when. Then this loop suspends them, project by
 * project, by the same mechanism as an operator's suspension; their certificates are renewed for 30 more days, so that an
 * upgrade in that time serves them at once. An upgrade resumes them in the same way; later it orders new certificates.
 *
 * The row in `plan_changes` is the schedule: it stays until every project is done, so a process that dies in between leaves
 * the rest to the next round, of whichever replica. A transaction covers one project, which bounds its size.
 */
import { Inject, Injectable } from '@nestjs/common';
import { certificatesEndAt, graceEndsAt } from '@pets/domains';
import type { Database, NotificationListener } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { CLOCK, CONFIG, DATABASE, LOG, NOTIFICATIONS } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { SuspensionsService } from '../suspensions/suspensions.service.js';
import { PollLoop } from '../../platform/poll-loop.js';
import { PlanChangesRepository, type PlanChange } from './plan-changes.repository.js';

const REASON = 'the plan of the organization no longer includes custom domains';

/** Organizations a round. */
const BATCH = 20;

@Injectable()
export class PlanChangesService extends PollLoop {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'PLAN_GRACE_DAYS'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly changes: PlanChangesRepository,
    private readonly projects: ProjectsRepository,
    private readonly suspensions: SuspensionsService,
    @Inject(NOTIFICATIONS) notifications: NotificationListener,
    shuttingDown: ShuttingDown,
    @Inject(LOG) log: Logger,
  ) {
    const settings = { channel: 'plan_changes', pollMs: 30_000, pauseMs: 100 } as const;
    super(
      { ...settings, failure: 'changes of plans could not be read, trying again' },
      notifications,
      shuttingDown,
      log,
    );
  }

  /** Until when the custom domains of an organization are served; null while its plan includes them. */
  async findGraceEnd(organizationId: string): Promise<Date | null> {
    const since = await this.changes.findGraceStart(organizationId);
    return since === null ? null : graceEndsAt(since, this.config.PLAN_GRACE_DAYS);
  }

  protected async round(signal: AbortSignal): Promise<void> {
    const changedBefore = graceEndsAt(this.clock(), -this.config.PLAN_GRACE_DAYS);
    let applied = BATCH;
    // One that fails is tried again in the next round, and does not keep the others from their turn.
    while (applied === BATCH && !signal.aborted) {
      applied = 0;
      for (const change of await this.changes.listDue(changedBefore, BATCH)) {
        if (await this.tryToApply(change, signal)) applied += 1;
      }
    }
  }

  private async tryToApply(change: PlanChange, signal: AbortSignal): Promise<boolean> {
    try {
      await this.apply(change, signal);
      return true;
    } catch (error) {
      const { organizationId, action } = change;
      this.log.error({ err: error, organizationId, action }, 'change of plan was not applied to domains, trying again');
      return false;
    }
  }

  private async apply(change: PlanChange, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) return;
      const projectId = await this.changes.findProject(change);
      if (projectId === null) break;
      if (!(await this.applyToProject(change, projectId))) return;
    }
    await this.changes.delete(change);
    const { organizationId, action } = change;
    this.log.info({ organizationId, action }, 'change of plan applied to domains');
  }

  /** Returns false when the plan has changed again. */
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
        const suspension = { cause: 'plan', reason: REASON, renewsUntil: certificatesEndAt(now), by: null } as const;
        await this.suspensions.suspendIn(tx, target, suspension, now);
      }
      return true;
    });
  }
}
