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
import type { Database, Tx } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { sql } from 'kysely';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG, DATABASE, LOG } from '../../platform/providers.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import { SuspensionsService } from '../suspensions/suspensions.service.js';

interface PlanChange {
  readonly organizationId: string;
  readonly action: 'suspend' | 'resume';
}

@Injectable()
export class PlanChangesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Due changes: resumptions at once, suspensions where the plan changed before `changedBefore`. */
  async listDue(changedBefore: Date, limit: number): Promise<PlanChange[]> {
    const { rows } = await sql<PlanChange>`
      (select organization_id as "organizationId", action from plan_changes
        where action = 'resume' order by since limit ${limit})
      union all
      (select organization_id, action from plan_changes
        where action = 'suspend' and since <= ${changedBefore} order by since limit ${limit})
      limit ${limit}`.execute(this.db);
    return rows;
  }

  /** A project that has to be suspended or resumed; null when there is none. */
  async findProject({ organizationId, action }: PlanChange): Promise<string | null> {
    const suspended = sql`exists (
      select from suspensions s
      where s.organization_id = p.organization_id and s.project_id = p.id and s.name is null and s.cause = 'plan'
    )`;
    const served = sql`not ${suspended} and exists (
      select from domains d where d.project_id = p.id and d.state <> 'removed'
    )`;
    const { rows } = await sql<{ id: string }>`
      select p.id from projects p
      where p.organization_id = ${organizationId} and ${action === 'suspend' ? served : suspended}
      limit 1`.execute(this.db);
    return rows[0]?.id ?? null;
  }

  /** @returns whether the change still exists; if so, no change of plan withdraws it before the transaction ends */
  async lock(tx: Tx, { organizationId, action }: PlanChange): Promise<boolean> {
    const row = await tx
      .selectFrom('plan_changes')
      .select('action')
      .where('organization_id', '=', organizationId)
      .where('action', '=', action)
      .forUpdate()
      .executeTakeFirst();
    return row !== undefined;
  }

  async delete({ organizationId, action }: PlanChange): Promise<void> {
    await this.db
      .deleteFrom('plan_changes')
      .where('organization_id', '=', organizationId)
      .where('action', '=', action)
      .execute();
  }

  /** Time since which the plan of an organization no longer includes its custom domains; null when it does. */
  async findGraceStart(organizationId: string): Promise<Date | null> {
    const row = await this.db
      .selectFrom('plan_changes')
      .select('since')
      .where('organization_id', '=', organizationId)
      .where('action', '=', 'suspend')
      .executeTakeFirst();
    return row?.since ?? null;
  }
}

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
