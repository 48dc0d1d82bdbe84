import { Inject, Injectable } from '@nestjs/common';
import { isWorkHeld, workKinds } from '@pets/domains';
import type { DomainJob, Messaging, Traced } from '@pets/messaging';
import type { NotificationListener } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { LOG, MESSAGING, NOTIFICATIONS } from '../../platform/providers.js';
import { EdgeFeed } from '../edge-ports.js';
import { KeyCheck } from '../../platform/encryption-keys/key-check.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { PollLoop } from '../../platform/poll-loop.js';
import { JobBuilder, type Built } from './job-builder.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import { WorkRepository, type ClaimedWork } from './work.repository.js';

/**
 * Turns due rows into jobs: claim (which commits), then one `addBulk`. If the process dies in between, the lease runs
 * out and the row is claimed again. Woken by a notification; the slow poll behind it finds what simply came due.
 *
 * Two orders for a domain never run at once. Whoever claims gets an attempt number that nobody had, and nobody else can
 * claim before the lease is over; a worker drops a job whose lease is over, and gives one up by then. So an issuance whose
 * job may be in the queue keeps its lease, come what may: it is never released.
 */

const POLL_MS = 1_000;
const BATCH = 500;

/** With this many jobs waiting the worker is behind or away: rows stay due in the database instead of heaping up as jobs. */
const MAX_WAITING = 2_000;

/**
 * Under load every result wakes the dispatcher: after a round that has found many, the next is this far off, so that it
 * finds many as well. After a few a person may be waiting.
 */
const BUSY_PAUSE_MS = 50;
const MIN_PAUSE_MS = 5;
const MANY = 16;

/** When the queue could not take jobs, their rows are claimable again after this. */
const RELEASE_SECONDS = 2;

/** Issuance that waits for an ACME account is taken up when there is one; looked at by itself only now and then. */
const POSTPONE_SECONDS = 300;

/** Work of suspended domains is looked at again after this, though a resumption makes it due at once. */
const HOLD_SECONDS = 6 * 60 * 60;

@Injectable()
export class Dispatcher extends PollLoop {
  private readonly underWay = new Set<Promise<void>>();
  /** Whether issuance was put by for want of an account. What an earlier process put by counts as well. */
  private hasPostponed = true;

  constructor(
    private readonly work: WorkRepository,
    private readonly builder: JobBuilder,
    private readonly feed: EdgeFeed,
    private readonly lifecycle: LifecycleService,
    private readonly keys: KeyCheck,
    shuttingDown: ShuttingDown,
    private readonly metrics: ApiMetrics,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(NOTIFICATIONS) notifications: NotificationListener,
    @Inject(LOG) log: Logger,
  ) {
    const failure = 'dispatching failed, trying again';
    const looking = { channel: 'domain_work', pollMs: POLL_MS, pauseMs: BUSY_PAUSE_MS, failure } as const;
    super(looking, notifications, shuttingDown, log);
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    await Promise.all(this.underWay);
  }

  protected override async round(signal: AbortSignal): Promise<number> {
    await this.resumePostponed();
    return (await this.dispatchDue(signal)) < MANY ? MIN_PAUSE_MS : BUSY_PAUSE_MS;
  }

  private async resumePostponed(): Promise<void> {
    if (!this.hasPostponed || (await this.feed.head()).thumbprint === null) return;
    this.hasPostponed = false;
    await this.work.resume();
  }

  /** @returns how many were due */
  private async dispatchDue(signal: AbortSignal): Promise<number> {
    let total = 0;
    // A replica with wrong keys leaves the rows to the others: it could not seal what they can open.
    while (!signal.aborted && this.keys.isUsable && (await this.messaging.jobs.waitingCount()) < MAX_WAITING) {
      const claimed = await this.work.claimDue(BATCH);
      total += claimed.length;
      const now = new Date();
      const held = claimed.filter((claim) => isWorkHeld(claim, now));
      await this.work.hold(held, HOLD_SECONDS);
      const claims = held.length === 0 ? claimed : claimed.filter((claim) => !held.includes(claim));
      for (const { kind, lateSeconds } of claims) this.metrics.dispatched(kind, lateSeconds);
      const [atOnce, afterEdges] = [claims.filter(isAtOnce), claims.filter((claim) => !isAtOnce(claim))];
      if (afterEdges.length > 0) this.track(this.dispatch(afterEdges, (some) => this.builder.buildAfterEdges(some)));
      if (atOnce.length > 0) await this.dispatch(atOnce, (some) => this.builder.build(some));
      if (claimed.length < BATCH) break;
    }
    return total;
  }

  private async dispatch(
    claims: readonly ClaimedWork[],
    build: (claims: readonly ClaimedWork[]) => Promise<Built>,
  ): Promise<void> {
    let open = claims;
    try {
      const { jobs, answers } = await build(claims);
      const dispatched = new Set(jobs.map(({ name, payload }) => `${name} ${payload.domainId}`));
      const isDispatched = ({ kind, domainId }: ClaimedWork) => dispatched.has(`${workKinds[kind]} ${domainId}`);
      // Whether the queue has taken them cannot be told when it does not answer.
      open = claims.filter((claim) => !(claim.kind === 'issuance' && isDispatched(claim)));
      await this.messaging.jobs.addBulk(withTraces(jobs, claims));
      open = claims.filter((claim) => !isDispatched(claim));
      const answered = new Set(answers.map(({ claim }) => claim));
      await this.putBy(open.filter((claim) => !answered.has(claim)));
      open = [...answered];
      await Promise.all(
        answers.map(({ claim, trigger }) =>
          this.lifecycle.applyResult(claim.kind, claim, () => ({ trigger }), claim.traceParent),
        ),
      );
    } catch (error) {
      this.log.error({ err: error, claims: open.length }, 'jobs could not be dispatched, their rows are released');
      await this.work
        .release(open, RELEASE_SECONDS)
        .catch((cause: unknown) => this.log.error({ err: cause }, 'release failed; the leases run out'));
    }
  }

  /** What could not be built: issuance without an account, and now and then a probe whose certificate is not there yet. */
  private async putBy(claims: readonly ClaimedWork[]): Promise<void> {
    const issuances = claims.filter(({ kind }) => kind === 'issuance');
    await this.work.postpone(issuances, POSTPONE_SECONDS);
    if (issuances.length > 0) this.hasPostponed = true;
    await this.work.release(
      claims.filter(({ kind }) => kind !== 'issuance'),
      RELEASE_SECONDS,
    );
  }

  private track(dispatching: Promise<void>): void {
    this.underWay.add(dispatching);
    void dispatching.finally(() => this.underWay.delete(dispatching));
  }
}

/** Each job goes on with the trace that made it due. */
function withTraces(jobs: readonly DomainJob[], claims: readonly ClaimedWork[]): readonly (DomainJob & Traced)[] {
  const traces = new Map(
    claims.map(({ kind, domainId, traceParent }) => [`${workKinds[kind]} ${domainId}`, traceParent]),
  );
  return jobs.map((job) => ({ ...job, traceParent: traces.get(`${job.name} ${job.payload.domainId}`) ?? null }));
}

/** Issuance and probes have to wait for the edges to know the name; looking at DNS and asking the CA have not. */
function isAtOnce({ kind }: ClaimedWork): boolean {
  return kind !== 'issuance' && kind !== 'probe';
}
