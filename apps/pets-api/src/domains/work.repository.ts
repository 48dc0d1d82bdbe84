import { Inject, Injectable } from '@nestjs/common';
import { domainJobs, type Attempt } from '@pets/contracts';
import { workKinds, type Transition, type WorkKind } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../providers.js';
import { needsOwnershipProof } from './needs-ownership-proof.js';

/** A due row, claimed: what a job is made of. */
export interface ClaimedWork extends Attempt {
  readonly kind: WorkKind;
  readonly leaseUntil: Date;
  readonly organizationId: string;
  readonly name: string;
  readonly apexName: string;
  readonly targetToken: string;
  readonly needsOwnershipProof: boolean;
}

export interface WorkRow {
  readonly kind: WorkKind;
  readonly dueAt: Date | null;
  readonly leaseUntil: Date | null;
  readonly attempt: number;
  readonly appliedAttempt: number;
  readonly failuresInARow: number;
}

const columns = [
  'kind',
  'due_at as dueAt',
  'lease_until as leaseUntil',
  'attempt',
  'applied_attempt as appliedAttempt',
  'failures_in_a_row as failuresInARow',
] as const;

const leaseOfKind = sql.join(
  Object.entries(workKinds).map(([kind, job]) => sql`when ${kind} then ${domainJobs[job].leaseMs / 1000}::float8`),
  sql` `,
);

/** The clocks of the domains. A row is the schedule and the outbox in one: nothing else has to remember what is to be done. */
@Injectable()
export class WorkRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /**
   * Takes what is due and not leased, each with a new attempt number and a lease. Several dispatchers do not meet
   * (`skip locked`). A lease that runs out makes the row claimable again: that is how lost jobs come back.
   */
  async claimDue(limit: number): Promise<ClaimedWork[]> {
    const { rows } = await sql<ClaimedWork>`
      with due as (
        select domain_id, kind from domain_work
        where due_at <= now() and (lease_until is null or lease_until <= now())
        order by due_at limit ${limit} for update skip locked
      )
      update domain_work w
      set attempt = w.attempt + 1, claimed_at = now(),
        lease_until = now() + make_interval(secs => case w.kind ${leaseOfKind} end)
      from due join domains d on d.id = due.domain_id join domain_claims c using (organization_id, name)
      where w.domain_id = due.domain_id and w.kind = due.kind
      returning w.domain_id as "domainId", w.kind, w.attempt, w.lease_until as "leaseUntil", d.generation,
        d.organization_id as "organizationId", d.name, d.apex_name as "apexName", c.target_token as "targetToken",
        ${needsOwnershipProof} as "needsOwnershipProof"`.execute(this.db);
    return rows;
  }

  /** Gives claims back that could not be dispatched, for a try in a moment. */
  async release(claims: readonly ClaimedWork[], afterSeconds: number): Promise<void> {
    for (const { domainId, kind, attempt } of claims) {
      await this.db
        .updateTable('domain_work')
        .set({ lease_until: sql<Date>`now() + make_interval(secs => ${afterSeconds})` })
        .where('domain_id', '=', domainId)
        .where('kind', '=', kind)
        .where('attempt', '=', attempt)
        .execute();
    }
  }

  async find(tx: Tx, domainId: string, kind: WorkKind): Promise<WorkRow | null> {
    const row = await tx
      .selectFrom('domain_work')
      .select(columns)
      .where('domain_id', '=', domainId)
      .where('kind', '=', kind)
      .executeTakeFirst();
    return (row as WorkRow | undefined) ?? null;
  }

  /** The clocks of some domains, by domain id. */
  async listOf(domainIds: readonly string[], db: Database = this.db): Promise<Map<string, WorkRow[]>> {
    if (domainIds.length === 0) return new Map();
    const rows = await db
      .selectFrom('domain_work')
      .select(['domain_id', ...columns])
      .where('domain_id', 'in', domainIds)
      .execute();
    return Map.groupBy(rows as (WorkRow & { domain_id: string })[], (row) => row.domain_id);
  }

  /** Sets clocks because of a click or of another kind's result. Outlives the result of a try that is under way. */
  async schedule(tx: Tx, domainId: string, work: Transition['work']): Promise<void> {
    for (const [kind, { dueAt, failuresInARow }] of entriesOf(work)) {
      const values = {
        due_at: dueAt,
        requested_at: sql<Date>`clock_timestamp()`,
        ...(failuresInARow !== undefined && { failures_in_a_row: failuresInARow }),
      };
      await tx
        .insertInto('domain_work')
        .values({ domain_id: domainId, kind, claimed_at: null, lease_until: null, ...values })
        .onConflict((conflict) => conflict.columns(['domain_id', 'kind']).doUpdateSet(values))
        .execute();
    }
  }

  /** Ends a try: its result is applied, the lease is over, and the clock is set anew unless somebody asked meanwhile. */
  async finish(
    tx: Tx,
    { domainId, attempt }: Attempt,
    kind: WorkKind,
    next: Transition['work'][WorkKind],
  ): Promise<void> {
    await tx
      .updateTable('domain_work')
      .set({
        applied_attempt: attempt,
        lease_until: null,
        due_at: sql<Date | null>`case when requested_at > claimed_at then due_at else ${next?.dueAt ?? null}::timestamptz end`,
        ...(next?.failuresInARow !== undefined && { failures_in_a_row: next.failuresInARow }),
      })
      .where('domain_id', '=', domainId)
      .where('kind', '=', kind)
      .execute();
  }
}

function entriesOf(work: Transition['work']): [WorkKind, { dueAt: Date | null; failuresInARow?: number }][] {
  return Object.entries(work) as [WorkKind, { dueAt: Date | null; failuresInARow?: number }][];
}
