import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '@pets/contracts';
import {
  priorities,
  priorityOf,
  routineCause,
  type ScheduleEntry,
  type Transition,
  type WorkCause,
  type WorkKind,
} from '@pets/domains';
import { afterCommit, notify, recordset, type Database, type Tx } from '@pets/persistence';
import { currentTraceParent } from '@pets/platform';
import { sql, type RawBuilder } from 'kysely';
import { DATABASE } from '../platform/providers.js';
import { readyAt, readyQueue, type ClaimedWork } from './claim.query.js';
import { DueQueues, type ChangedQueue } from './due-work.repository.js';

export interface WorkRow {
  readonly kind: WorkKind;
  readonly dueAt: Date | null;
  readonly leaseUntil: Date | null;
  readonly attempt: number;
  readonly appliedAttempt: number;
  readonly failuresInARow: number;
  /** Consecutive DNS checks that changed nothing. */
  readonly unchangedChecks: number;
  /** The last DNS check, where its result was not written to the domain. */
  readonly checkedAt: Date | null;
}

const columns = [
  'kind',
  'due_at as dueAt',
  'lease_until as leaseUntil',
  'attempt',
  'applied_attempt as appliedAttempt',
  'failures_in_a_row as failuresInARow',
  'unchanged_checks as unchangedChecks',
  'checked_at as checkedAt',
] as const;

/** The checks of names that somebody looks at. */
const watched = {
  /** Domains of an organization that are checked with the short pause at a time. */
  domains: 30,
  pause: sql`interval '10 seconds'`,
  longPause: sql`interval '1 minute'`,
} as const;

/** Work that is due later than this starts its own trace: a renewal in two months is no part of today's request. */
const traceLimit = sql`interval '1 hour'`;

/** The schedule of the domains. A row is schedule entry and outbox: work is recorded nowhere else. */
@Injectable()
export class WorkRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly queues: DueQueues = new DueQueues(),
  ) {}

  /** Shortens the lease of rows that could not be dispatched, for another attempt soon. */
  async release(claims: readonly ClaimedWork[], afterSeconds: number): Promise<void> {
    if (claims.length === 0) return;
    const { rows } = await sql<ChangedQueue>`
      update domain_work w set lease_until = now() + make_interval(secs => ${afterSeconds})
      from ${listed(claims)}
      where w.domain_id = c.domain_id and w.kind = c.kind and w.attempt = c.attempt
      returning ${readyQueue}`.execute(this.db);
    this.queues.announce(rows);
  }

  /** Defers rows until `resumeDeferred`, or for a long time: nothing was dispatched, so no result can arrive for them. */
  async defer(claims: readonly ClaimedWork[], seconds: number): Promise<void> {
    if (claims.length === 0) return;
    const { rows } = await sql<ChangedQueue>`
      update domain_work w set lease_until = now() + make_interval(secs => ${seconds}), claimed_at = null
      from ${listed(claims)}
      where w.domain_id = c.domain_id and w.kind = c.kind and w.attempt = c.attempt
      returning ${readyQueue}`.execute(this.db);
    this.queues.announce(rows);
  }

  /** Makes deferred rows due at once. */
  async resumeDeferred(): Promise<void> {
    const { rows } = await sql<ChangedQueue>`
      update domain_work w set lease_until = null where lease_until is not null and claimed_at is null
      returning ${readyQueue}`.execute(this.db);
    this.queues.announce(rows);
  }

  /**
   * Holds rows of suspended domains: they are due again later, and no attempt is counted. `resumeHeld` needs the original
   * due time, which is stored as well.
   */
  async hold(claims: readonly ClaimedWork[], seconds: number): Promise<void> {
    if (claims.length === 0) return;
    const { rows } = await sql<ChangedQueue>`
      update domain_work w set attempt = w.attempt - 1, lease_until = null, claimed_at = null,
        held_due_at = coalesce(w.held_due_at, w.due_at), due_at = now() + make_interval(secs => ${seconds})
      from ${listed(claims)}
      where w.domain_id = c.domain_id and w.kind = c.kind and w.attempt = c.attempt
      returning ${readyQueue}`.execute(this.db);
    this.queues.announce(rows);
  }

  /** Restores the due time of held rows: they are due at once where it has passed. */
  async resumeHeld(tx: Tx, domainIds: readonly string[]): Promise<void> {
    await sql`
      update domain_work set due_at = least(due_at, held_due_at), held_due_at = null, requested_at = clock_timestamp()
      where domain_id = any(${domainIds}) and held_due_at is not null`.execute(tx);
    // Also from the command of the operator, whose process claims nothing.
    await notify(tx, 'domain_work');
  }

  /** Makes unscheduled rows due. The time stays if the result of a running attempt is applied later. */
  async makeDue(tx: Tx, domainIds: readonly string[], kind: WorkKind): Promise<void> {
    if (domainIds.length === 0) return;
    const { rows } = await sql<ChangedQueue>`
      update domain_work w set due_at = now(), requested_at = clock_timestamp()
      where w.kind = ${kind} and w.domain_id = any(${domainIds})
      returning ${readyQueue}`.execute(tx);
    this.announceAfterCommit(tx, rows);
  }

  /**
   * Moves the DNS check of a domain that somebody looks at forward, so that it begins ten seconds after the one before,
   * however many look. An organization has so many of these checks in ten seconds; beyond them the pause is a minute.
   * @returns when it is due; null when it is not
   */
  async checkWatched(domainId: string, db: Database = this.db): Promise<Date | null> {
    const { rows } = await sql<ChangedQueue & { dueAt: Date }>`
      with planned as (
        select d.organization_id, case when soon.checks < ${watched.domains} then ${watched.pause}
          else ${watched.longPause} end as pause
        from domains d cross join lateral (
          select count(*) as checks from (
            select from domain_work w where w.kind = 'dns' and w.priority = ${priorities.watched}
              and w.organization_id = d.organization_id and w.due_at is not null
              and ${readyAt} <= now() + ${watched.pause}
            limit ${watched.domains}
          ) w
        ) soon where d.id = ${domainId}
      )
      update domain_work w set due_at = greatest(now(), w.claimed_at + p.pause), priority = ${priorities.watched},
        organization_id = p.organization_id, requested_at = clock_timestamp(), traceparent = null
      from planned p
      where w.domain_id = ${domainId} and w.kind = 'dns' and w.held_due_at is null
        and (
          w.due_at is null or w.due_at > greatest(now(), w.claimed_at + p.pause)
          -- The check under way may have begun before the record was there.
          or w.lease_until > now() and (w.requested_at > w.claimed_at) is not true
        )
      returning ${readyQueue}, w.due_at as "dueAt"`.execute(db);
    this.queues.announce(rows);
    if (rows[0] !== undefined) return rows[0].dueAt;
    // Another one may have moved it, after this statement began.
    const planned = await db
      .selectFrom('domain_work')
      .select('due_at')
      .where('domain_id', '=', domainId)
      .where('kind', '=', 'dns')
      .executeTakeFirst();
    return planned?.due_at ?? null;
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

  async schedule(tx: Tx, domainId: string, work: Transition['work'], cause?: WorkCause): Promise<void> {
    await this.scheduleAll(tx, [{ domainId, work, traceParent: currentTraceParent(), cause }]);
  }

  /** Schedules work for a request or for a result of another kind. The result of a running attempt does not replace it. */
  async scheduleAll(tx: Tx, domains: readonly Scheduled[]): Promise<void> {
    const given = domains.flatMap(({ domainId, work, traceParent, cause = routineCause }) =>
      entriesOf(work).map(([kind, next]) => ({
        domainId,
        kind,
        dueAt: next.dueAt,
        failuresInARow: next.failuresInARow,
        traceParent,
        priority: priorityOf(kind, isLater(next.dueAt) ? { ...cause, isRequested: false } : cause),
      })),
    );
    if (given.length === 0) return;
    const { rows } = await sql<ChangedQueue>`
      insert into domain_work as w
        (domain_id, kind, due_at, requested_at, failures_in_a_row, traceparent, priority, organization_id)
      select g."domainId", g.kind, g."dueAt", clock_timestamp(), coalesce(g."failuresInARow", o.failures_in_a_row, 0),
        case when g."dueAt" < clock_timestamp() + ${traceLimit} then g."traceParent" end, g.priority, d.organization_id
      from ${recordset('g', scheduledColumns, given)} join domains d on d.id = g."domainId"
        left join domain_work o on o.domain_id = g."domainId" and o.kind = g.kind
      on conflict (domain_id, kind) do update
      set due_at = excluded.due_at, requested_at = excluded.requested_at,
        failures_in_a_row = excluded.failures_in_a_row, traceparent = excluded.traceparent,
        priority = excluded.priority, organization_id = excluded.organization_id
      returning ${readyQueue}`.execute(tx);
    this.announceAfterCommit(tx, rows);
  }

  /** Ends attempts whose result is applied. A due time that was requested during the attempt stays. */
  async finishAll(tx: Tx, attempts: readonly FinishedAttempt[]): Promise<void> {
    if (attempts.length === 0) return;
    const given = attempts.map(({ kind, attempt: { domainId, attempt }, next, checkedAt, cause = routineCause }) => ({
      domainId,
      kind,
      attempt,
      dueAt: next?.dueAt,
      failuresInARow: next?.failuresInARow,
      priority: priorityOf(kind, cause),
      unchangedChecks: next?.unchangedChecks,
      checkedAt,
    }));
    const { rows } = await sql<ChangedQueue>`
      update domain_work w set applied_attempt = g.attempt, lease_until = null,
        due_at = case when w.requested_at > w.claimed_at then w.due_at else g."dueAt" end,
        failures_in_a_row = coalesce(g."failuresInARow", w.failures_in_a_row),
        priority = case when w.requested_at > w.claimed_at then w.priority else g.priority end,
        unchanged_checks = coalesce(g."unchangedChecks", w.unchanged_checks),
        checked_at = coalesce(g."checkedAt", w.checked_at),
        traceparent = case when w.requested_at > w.claimed_at or g."dueAt" < w.requested_at + ${traceLimit}
          then w.traceparent end
      from ${recordset('g', finishedColumns, given)}
      where w.domain_id = g."domainId" and w.kind = g.kind
      returning ${readyQueue}`.execute(tx);
    this.announceAfterCommit(tx, rows);
  }

  private announceAfterCommit(tx: Tx, rows: readonly ChangedQueue[]): void {
    afterCommit(tx, () => this.queues.announce(rows));
  }
}

const scheduledColumns = {
  domainId: 'uuid',
  kind: 'text',
  dueAt: 'timestamptz',
  failuresInARow: 'integer',
  traceParent: 'text',
  priority: 'integer',
} as const;

const finishedColumns = {
  domainId: 'uuid',
  kind: 'text',
  attempt: 'integer',
  dueAt: 'timestamptz',
  failuresInARow: 'integer',
  priority: 'integer',
  unchangedChecks: 'integer',
  checkedAt: 'timestamptz',
} as const;

/** Work to schedule, and the trace of its cause. */
export interface Scheduled {
  readonly domainId: string;
  readonly work: Transition['work'];
  readonly traceParent: string | null;
  /** Routine by default. */
  readonly cause?: WorkCause | undefined;
}

/** An attempt whose result is applied, and the next schedule entry; without one, nothing is due. */
export interface FinishedAttempt {
  readonly kind: WorkKind;
  readonly attempt: Attempt;
  readonly next: Transition['work'][WorkKind];
  /** Reason why the next entry is scheduled; routine by default. */
  readonly cause?: WorkCause | undefined;
  /** Time at which a DNS check began. */
  readonly checkedAt?: Date | null | undefined;
}

function listed(claims: readonly ClaimedWork[]): RawBuilder<unknown> {
  return sql`unnest(
    ${claims.map(({ domainId }) => domainId)}::uuid[], ${claims.map(({ kind }) => kind)}::text[],
    ${claims.map(({ attempt }) => attempt)}::integer[]
  ) as c (domain_id, kind, attempt)`;
}

/** Whether work is due later, so that nobody waits for it. */
function isLater(dueAt: Date | null): boolean {
  return dueAt !== null && dueAt.getTime() > Date.now();
}

function entriesOf(work: Transition['work']): [WorkKind, ScheduleEntry][] {
  return Object.entries(work) as [WorkKind, ScheduleEntry][];
}
