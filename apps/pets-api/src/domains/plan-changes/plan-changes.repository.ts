import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

export interface PlanChange {
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
