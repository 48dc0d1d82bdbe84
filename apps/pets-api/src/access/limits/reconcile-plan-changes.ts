import { notify, type Tx } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';

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
