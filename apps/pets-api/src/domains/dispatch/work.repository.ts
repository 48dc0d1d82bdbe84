import { Inject, Injectable } from '@nestjs/common';
import { domainJobs, type Attempt, type DomainState } from '@pets/contracts';
import { workKinds, type Suspension, type Transition, type WorkKind } from '@pets/domains';
import { commitWithoutWaiting, notify, recordset, type Database, type Tx } from '@pets/persistence';
import { currentTraceParent } from '@pets/platform';
import { sql, type RawBuilder } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import { hasOtherClaims, wwwTargetToken } from '../other-claims.js';
import { suspensionsOfDomain } from '../../access/suspensions/suspensions.repository.js';

/** A due row, claimed: what a job is made of. */
export interface ClaimedWork extends Attempt {
  readonly kind: WorkKind;
  readonly leaseUntil: Date;
  /** For how long it had been due. */
  readonly lateSeconds: number;
  readonly organizationId: string;
  readonly name: string;
  readonly apexName: string;
  readonly targetToken: string;
  readonly state: DomainState;
  readonly hasOtherClaims: boolean;
  readonly wwwTargetToken: string | null;
  readonly ownershipToken: string;
  readonly suspensions: readonly Suspension[];
  /** What made it due, where traces are recorded. */
  readonly traceParent: string | null;
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

/**
 * What is due later than this begins a trace of its own: a trace that is looked at as one should end within a while, and a
 * renewal in two months is not what somebody's click has done.
 */
const traceLasts = sql`interval '1 hour'`;

const leaseOfKind = sql.join(
  Object.entries(workKinds).map(([kind, job]) => sql`when ${kind} then ${domainJobs[job].leaseMs / 1000}::float8`),
  sql` `,
);

/** Reads the index of what is due and no more, however many rows wait; a test holds it to that. */
export function claimDueStatement(limit: number): RawBuilder<ClaimedWork> {
  return sql<ClaimedWork>`
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
    extract(epoch from now() - w.due_at)::float8 as "lateSeconds", d.organization_id as "organizationId", d.name, d.apex_name as "apexName", c.target_token as "targetToken",
    c.ownership_token as "ownershipToken",
    d.state, ${hasOtherClaims} as "hasOtherClaims", ${wwwTargetToken} as "wwwTargetToken", ${suspensionsOfDomain} as suspensions, w.traceparent as "traceParent"`;
}

/** The clocks of the domains. A row is the schedule and the outbox in one: nothing else has to remember what is to be done. */
@Injectable()
export class WorkRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /**
   * Takes what is due and not leased, each with a new attempt number and a lease. Several dispatchers do not meet
   * (`skip locked`). A lease that runs out makes the row claimable again: that is how lost jobs come back.
   */
  async claimDue(limit: number): Promise<ClaimedWork[]> {
    return this.db.transaction().execute(async (tx) => {
      const { rows } = await claimDueStatement(limit).execute(tx);
      // A claim that a crash undoes is made once more. Looking twice does no harm, but two orders must not run at once.
      if (!rows.some(({ kind }) => kind === 'issuance')) await commitWithoutWaiting(tx);
      return rows;
    });
  }

  /** Gives claims back that could not be dispatched, for a try in a moment. */
  async release(claims: readonly ClaimedWork[], afterSeconds: number): Promise<void> {
    if (claims.length === 0) return;
    await sql`
      update domain_work w set lease_until = now() + make_interval(secs => ${afterSeconds})
      from ${listed(claims)}
      where w.domain_id = c.domain_id and w.kind = c.kind and w.attempt = c.attempt`.execute(this.db);
  }

  /** Puts claims by until `resume`, or for a long time: nothing was dispatched, so nothing can come back for them. */
  async postpone(claims: readonly ClaimedWork[], seconds: number): Promise<void> {
    if (claims.length === 0) return;
    await sql`
      update domain_work w set lease_until = now() + make_interval(secs => ${seconds}), claimed_at = null
      from ${listed(claims)}
      where w.domain_id = c.domain_id and w.kind = c.kind and w.attempt = c.attempt`.execute(this.db);
  }

  /** Makes what was put by claimable at once. */
  async resume(): Promise<void> {
    await this.db
      .updateTable('domain_work')
      .set({ lease_until: null })
      .where('lease_until', 'is not', null)
      .where('claimed_at', 'is', null)
      .execute();
  }

  /**
   * Holds claims back whose domains are suspended: they come due again later, and no attempt is counted. When they were due
   * is kept for `resumeHeld`.
   */
  async hold(claims: readonly ClaimedWork[], seconds: number): Promise<void> {
    if (claims.length === 0) return;
    await sql`
      update domain_work w set attempt = w.attempt - 1, lease_until = null, claimed_at = null,
        held_due_at = coalesce(w.held_due_at, w.due_at), due_at = now() + make_interval(secs => ${seconds})
      from ${listed(claims)}
      where w.domain_id = c.domain_id and w.kind = c.kind and w.attempt = c.attempt`.execute(this.db);
  }

  /** Makes work that was held back due when it was before: at once, where that time has passed. */
  async resumeHeld(tx: Tx, domainIds: readonly string[]): Promise<void> {
    await sql`
      update domain_work set due_at = least(due_at, held_due_at), held_due_at = null, requested_at = clock_timestamp()
      where domain_id = any(${domainIds}) and held_due_at is not null`.execute(tx);
    await notify(tx, 'domain_work');
  }

  async find(tx: Tx, domainId: string, kind: WorkKind): Promise<WorkRow | null> {
    const row = await tx
      .selectFrom('domain_work')
      .select(columns)
      .where('domain_id', '=', domainId)
      .where('kind', '=', kind)
      .executeTakeFirst();
    return row ?? null;
  }

  /** The clocks of some domains, by domain id. */
  async listOf(domainIds: readonly string[], db: Database = this.db): Promise<Map<string, WorkRow[]>> {
    if (domainIds.length === 0) return new Map();
    const rows = await db
      .selectFrom('domain_work')
      .select(['domain_id', ...columns])
      .where('domain_id', 'in', domainIds)
      .execute();
    return Map.groupBy(rows, (row) => row.domain_id);
  }

  async schedule(tx: Tx, domainId: string, work: Transition['work']): Promise<void> {
    await this.scheduleAll(tx, [{ domainId, work, traceParent: currentTraceParent() }]);
  }

  /** Sets clocks because of a click or of another kind's result. Outlives the result of a try that is under way. */
  async scheduleAll(tx: Tx, domains: readonly Scheduled[]): Promise<void> {
    const given = domains.flatMap(({ domainId, work, traceParent }) =>
      entriesOf(work).map(([kind, next]) => ({
        domainId,
        kind,
        dueAt: next.dueAt,
        failuresInARow: next.failuresInARow,
        traceParent,
      })),
    );
    if (given.length === 0) return;
    await sql`
      insert into domain_work as w (domain_id, kind, due_at, requested_at, failures_in_a_row, traceparent)
      select g."domainId", g.kind, g."dueAt", clock_timestamp(), coalesce(g."failuresInARow", o.failures_in_a_row, 0),
        case when g."dueAt" < clock_timestamp() + ${traceLasts} then g."traceParent" end
      from ${recordset('g', scheduledColumns, given)} left join domain_work o on o.domain_id = g."domainId" and o.kind = g.kind
      on conflict (domain_id, kind) do update
      set due_at = excluded.due_at, requested_at = excluded.requested_at,
        failures_in_a_row = excluded.failures_in_a_row, traceparent = excluded.traceparent`.execute(tx);
  }

  /** Ends tries: their result is applied, the lease is over, and the clock is set anew unless somebody asked meanwhile. */
  async finishAll(tx: Tx, tries: readonly FinishedTry[]): Promise<void> {
    if (tries.length === 0) return;
    const given = tries.map(({ kind, attempt: { domainId, attempt }, next }) => ({
      domainId,
      kind,
      attempt,
      dueAt: next?.dueAt,
      failuresInARow: next?.failuresInARow,
    }));
    await sql`
      update domain_work w set applied_attempt = g.attempt, lease_until = null,
        due_at = case when w.requested_at > w.claimed_at then w.due_at else g."dueAt" end,
        failures_in_a_row = coalesce(g."failuresInARow", w.failures_in_a_row),
        traceparent = case when w.requested_at > w.claimed_at or g."dueAt" < w.requested_at + ${traceLasts}
          then w.traceparent end
      from ${recordset('g', finishedColumns, given)}
      where w.domain_id = g."domainId" and w.kind = g.kind`.execute(tx);
  }
}

const scheduledColumns = {
  domainId: 'uuid',
  kind: 'text',
  dueAt: 'timestamptz',
  failuresInARow: 'integer',
  traceParent: 'text',
} as const;

const finishedColumns = {
  domainId: 'uuid',
  kind: 'text',
  attempt: 'integer',
  dueAt: 'timestamptz',
  failuresInARow: 'integer',
} as const;

/** Clocks that are set, and the trace of what sets them. */
export interface Scheduled {
  readonly domainId: string;
  readonly work: Transition['work'];
  readonly traceParent: string | null;
}

/** A try whose result is applied, and what its clock is set to; without that the clock stops. */
export interface FinishedTry {
  readonly kind: WorkKind;
  readonly attempt: Attempt;
  readonly next: Transition['work'][WorkKind];
}

function listed(claims: readonly ClaimedWork[]): RawBuilder<unknown> {
  return sql`unnest(
    ${claims.map(({ domainId }) => domainId)}::uuid[], ${claims.map(({ kind }) => kind)}::text[],
    ${claims.map(({ attempt }) => attempt)}::integer[]
  ) as c (domain_id, kind, attempt)`;
}

function entriesOf(work: Transition['work']): [WorkKind, { dueAt: Date | null; failuresInARow?: number }][] {
  return Object.entries(work) as [WorkKind, { dueAt: Date | null; failuresInARow?: number }][];
}
