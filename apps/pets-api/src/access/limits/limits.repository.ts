import { Inject, Injectable } from '@nestjs/common';
import type { LimitName, Plan } from '@pets/contracts';
import { inTransaction, notify, type Database, type Tx } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

/** Sorts before the id of any organization. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
/** Organizations a statement. */
const RECONCILED_AT_ONCE = 1_000;

/** A row of a plan or of an organization. Its name may come from another version. */
export interface LimitRow {
  readonly name: string;
  readonly value: number;
}

/** Limits of plans and organizations, as the operator reads and writes them. */
@Injectable()
export class LimitsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async listOfPlan(plan: Plan): Promise<LimitRow[]> {
    const rows = await this.db
      .selectFrom('plan_limits')
      .select(['name', 'value'])
      .where('plan', '=', plan)
      .orderBy('name')
      .execute();
    return rows.map(numbered);
  }

  async listOfOrganization(organizationId: string): Promise<LimitRow[]> {
    const rows = await this.db
      .selectFrom('organization_limits')
      .select(['name', 'value'])
      .where('organization_id', '=', organizationId)
      .orderBy('name')
      .execute();
    return rows.map(numbered);
  }

  async setForPlan(plan: Plan, name: LimitName, value: number): Promise<void> {
    await this.db
      .insertInto('plan_limits')
      .values({ plan, name, value: BigInt(value) })
      .onConflict((conflict) => conflict.columns(['plan', 'name']).doUpdateSet({ value: BigInt(value) }))
      .execute();
    if (name === 'domainsPerProject') await this.reconcilePlan(plan);
  }

  /** Overrides the limit of the plan. */
  async setForOrganization(organizationId: string, name: LimitName, value: number): Promise<void> {
    await this.change(organizationId, name, (tx) =>
      tx
        .insertInto('organization_limits')
        .values({ organization_id: organizationId, name, value: BigInt(value) })
        .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doUpdateSet({ value: BigInt(value) }))
        .execute(),
    );
  }

  /** The setting applies again, where there is one. */
  async unsetForPlan(plan: Plan, name: LimitName): Promise<void> {
    await this.db.deleteFrom('plan_limits').where('plan', '=', plan).where('name', '=', name).execute();
  }

  /** The limit of the plan applies again. */
  async unsetForOrganization(organizationId: string, name: LimitName): Promise<void> {
    await this.change(organizationId, name, (tx) =>
      tx
        .deleteFrom('organization_limits')
        .where('organization_id', '=', organizationId)
        .where('name', '=', name)
        .execute(),
    );
  }

  /** Changes a limit, and reconciles custom domains with the plan where the limit concerns them. */
  private async change(organizationId: string, name: LimitName, work: (tx: Tx) => Promise<unknown>): Promise<void> {
    await inTransaction(this.db, async (tx) => {
      await tx.selectFrom('organizations').select('id').where('id', '=', organizationId).forNoKeyUpdate().execute();
      await work(tx);
      if (name === 'domainsPerProject') await reconcilePlanChanges(tx, sql`select ${organizationId}::uuid`);
    });
  }

  /** Reconciles custom domains of the organizations on a plan, one batch a transaction. */
  private async reconcilePlan(plan: Plan): Promise<void> {
    for (let after = FIRST_ID; ;) {
      const { rows } = await sql<{ id: string }>`
        select id from organizations where id > ${after} and plan = ${plan} order by id limit ${RECONCILED_AT_ONCE}
      `.execute(this.db);
      const ids = rows.map(({ id }) => id);
      const last = ids.at(-1);
      if (last === undefined) return;
      await this.db.transaction().execute((tx) => reconcilePlanChanges(tx, sql`select unnest(${ids}::uuid[])`));
      after = last;
    }
  }
}

function numbered({ name, value }: { readonly name: string; readonly value: bigint }): LimitRow {
  return { name, value: Number(value) };
}

/**
 * Writes the `plan_changes` that follow for custom domains from the current plan and limits of some organizations: a
 * grace period when domains are no longer included, a resumption when they are included again. An existing row keeps
 * its time. Call it in the transaction that changes the plan or the limits.
 * @param ids a query for organization ids
 */
export async function reconcilePlanChanges(tx: Tx, ids: RawBuilder<unknown>): Promise<void> {
  // Waits for a change that is being applied, so that the statement below sees its result.
  await sql`
    select from plan_changes where organization_id in (${ids}) order by organization_id for update`.execute(tx);
  await sql`
    with affected as (
      select o.id, coalesce(own.value, of_plan.value, 0) > 0 as includes_domains,
        exists (select from suspensions s where s.organization_id = o.id and s.cause = 'plan') as is_suspended,
        exists (
          select from domains d where d.organization_id = o.id and d.state <> 'removed' and not exists (
            select from suspensions s
            where s.organization_id = o.id and s.project_id = d.project_id and s.name is null and s.cause = 'plan'
          )
        ) as has_served
      from organizations o
      left join plan_limits of_plan on of_plan.plan = o.plan and of_plan.name = 'domainsPerProject'
      left join organization_limits own on own.organization_id = o.id and own.name = 'domainsPerProject'
      where o.id in (${ids})
    ), noted as (
      insert into plan_changes as c (organization_id, action, since)
      select id, case when includes_domains then 'resume' else 'suspend' end, now() from affected
      where case when includes_domains then is_suspended else has_served end
      on conflict (organization_id) do update set action = excluded.action, since = excluded.since
      where c.action <> excluded.action
    )
    delete from plan_changes c using affected a
    where c.organization_id = a.id and case when a.includes_domains then not a.is_suspended else not a.has_served end
  `.execute(tx);
  await notify(tx, 'plan_changes');
}
