import { Inject, Injectable } from '@nestjs/common';
import { renewalEndsAt, graceEndsAt } from '@pets/domains';
import type { Database } from '@pets/persistence';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG, DATABASE } from '../../platform/providers.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { SuspensionsService } from '../suspensions/suspensions.service.js';
import { PlanChangesRepository, type PlanChange } from './plan-changes.repository.js';

const REASON = 'the plan of the organization no longer includes custom domains';

/** Applies plan changes to custom domains. `plan-changes.loop.ts` calls it and describes the flow. */
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
