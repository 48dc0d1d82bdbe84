import { Inject, Injectable } from '@nestjs/common';
import { domainJobs, type Attempt, type DomainState } from '@pets/contracts';
import { workKinds, type Suspension, type Transition, type WorkKind } from '@pets/domains';
import { commitWithoutWaiting, notify, recordset, type Database, type Tx } from '@pets/persistence';
import { currentTraceParent } from '@pets/platform';
import { sql, type RawBuilder } from 'kysely';
import { suspensionsOfDomain } from '../../access/suspensions/suspensions.repository.js';
import { DATABASE } from '../../platform/providers.js';
import { hasOtherClaims, wwwTargetToken } from '../other-claims.js';

/** A due row under a lease, with everything that its job contains. */
export interface ClaimedWork extends Attempt {
  readonly kind: WorkKind;
  readonly leaseUntil: Date;
  /** How long it had been due. */
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
  /** The trace that made it due, where traces are recorded. */
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

/** Work that is due later than this starts its own trace: a renewal in two months is no part of today's request. */
const traceLimit = sql`interval '1 hour'`;

const leaseOfKind = sql.join(
  Object.entries(workKinds).map(([kind, job]) => sql`when ${kind} then ${domainJobs[job].leaseMs / 1000}::float8`),
  sql` `,
);

/** Reads only due rows of the index, however many rows wait; a test checks its plan. */
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

/** The schedule of the domains. A row is schedule entry and outbox: work is recorded nowhere else. */
@Injectable()
export class WorkRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /**
   * Leases rows that are due, each with a new attempt number. Dispatchers never get the same row (`skip locked`). When a
   * lease expires, the row can be leased again: lost jobs are dispatched again that way.
   */
  async claimDue(limit: number): Promise<ClaimedWork[]> {
    return this.db.transaction().execute(async (tx) => {
      const { rows } = await claimDueStatement(limit).execute(tx);
      // A crash may undo the lease, and the work runs twice. That is harmless, except for two orders at a time.
      if (!rows.some(({ kind }) => kind === 'issuance')) await commitWithoutWaiting(tx);
      return rows;
    });
  }

  /** Shortens the lease of rows that could not be dispatched, for another attempt soon. */
  async release(claims: readonly ClaimedWork[], afterSeconds: number): Promise<void> {
    if (claims.length === 0) return;
    await sql`
      update domain_work w set lease_until = now() + make_interval(secs => ${afterSeconds})
      from ${listed(claims)}
      where w.domain_id = c.domain_id and w.kind = c.kind and w.attempt = c.attempt`.execute(this.db);
  }

  /** Defers rows until `resumeDeferred`, or for a long time: nothing was dispatched, so no result can arrive for them. */
  async defer(claims: readonly ClaimedWork[], seconds: number): Promise<void> {
    if (claims.length === 0) return;
    await sql`
      update domain_work w set lease_until = now() + make_interval(secs => ${seconds}), claimed_at = null
      from ${listed(claims)}
      where w.domain_id = c.domain_id and w.kind = c.kind and w.attempt = c.attempt`.execute(this.db);
  }

  /** Makes deferred rows due at once. */
  async resumeDeferred(): Promise<void> {
    await this.db
      .updateTable('domain_work')
      .set({ lease_until: null })
      .where('lease_until', 'is not', null)
      .where('claimed_at', 'is', null)
      .execute();
  }

  /**
   * Holds rows of suspended domains: they are due again later, and no attempt is counted. `resumeHeld` needs the original
   * due time, which is stored as well.
   */
  async hold(claims: readonly ClaimedWork[], seconds: number): Promise<void> {
    if (claims.length === 0) return;
    await sql`
      update domain_work w set attempt = w.attempt - 1, lease_until = null, claimed_at = null,
        held_due_at = coalesce(w.held_due_at, w.due_at), due_at = now() + make_interval(secs => ${seconds})
      from ${listed(claims)}
      where w.domain_id = c.domain_id and w.kind = c.kind and w.attempt = c.attempt`.execute(this.db);
  }

  /** Restores the due time of held rows: they are due at once where it has passed. */
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

  /** The schedule entries of some domains, by domain id. */
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

  /** Schedules work for a request or for a result of another kind. The result of a running attempt does not replace it. */
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
        case when g."dueAt" < clock_timestamp() + ${traceLimit} then g."traceParent" end
      from ${recordset('g', scheduledColumns, given)} left join domain_work o on o.domain_id = g."domainId" and o.kind = g.kind
      on conflict (domain_id, kind) do update
      set due_at = excluded.due_at, requested_at = excluded.requested_at,
        failures_in_a_row = excluded.failures_in_a_row, traceparent = excluded.traceparent`.execute(tx);
  }

  /** Ends attempts whose result is applied. A due time that was requested during the attempt stays. */
  async finishAll(tx: Tx, attempts: readonly FinishedAttempt[]): Promise<void> {
    if (attempts.length === 0) return;
    const given = attempts.map(({ kind, attempt: { domainId, attempt }, next }) => ({
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
        traceparent = case when w.requested_at > w.claimed_at or g."dueAt" < w.requested_at + ${traceLimit}
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

/** Work to schedule, and the trace of its cause. */
export interface Scheduled {
  readonly domainId: string;
  readonly work: Transition['work'];
  readonly traceParent: string | null;
}

/** An attempt whose result is applied, and the next schedule entry; without one, nothing is due. */
export interface FinishedAttempt {
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
