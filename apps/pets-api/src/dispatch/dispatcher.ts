/**
 * Creates jobs for the due work of domains, with a loop for each lane. Work that this process schedules is announced to
 * `DueQueues`, which wakes the loop; a slow poll finds work that became due by time. Work that other processes scheduled is
 * found by a regular discovery, and at once after a notification.
 *
 * Two orders for a domain never run at the same time. Each lease has a new attempt number, and no other dispatcher gets the
 * row before the lease expires. A worker drops a job whose lease has expired, and aborts a running one by then. So an
 * issuance whose job may be in the queue always keeps its lease: it is never released.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { restAfter } from '@pets/async';
import { lanes, workLanes, type WorkLane } from '@pets/domains';
import type { Messaging } from '@pets/messaging';
import type { Logger } from '@pets/platform';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import { BackgroundTasks } from '../platform/background-tasks.js';
import { dispatchClaims, dispatchDue } from '../platform/lease-dispatcher.js';
import { LOG, MESSAGING } from '../platform/providers.js';
import type { ClaimedWork } from '../schedule/claim.query.js';
import { DueQueues } from '../schedule/due-work.repository.js';
import { DueWork } from '../schedule/due-work.js';
import { JobBuilder, type BuiltWork } from './job-builder.js';

const POLL_MS = 1_000;

/** A discovery reads for longer while an old transaction is open, so notifications repeat it only after a pause. */
const DISCOVERY_MS = 10_000;
const MAX_DISCOVERY_PAUSE_MS = 1_000;

/**
 * Under load every result wakes the dispatcher. After a large round the next starts later, so that it is large as well.
 * After a small one it starts soon, since a user may be waiting.
 */
const BUSY_PAUSE_MS = 50;
const MIN_PAUSE_MS = 5;
const MANY = 16;

@Injectable()
export class Dispatcher implements OnModuleInit {
  /** Dispatches that wait for edges, while the loop goes on. */
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly due: DueWork,
    private readonly queues: DueQueues,
    private readonly builder: JobBuilder,
    private readonly lifecycle: LifecycleService,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly tasks: BackgroundTasks,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    for (const lane of workLanes) {
      this.tasks.poll({
        event: this.queues.announced(lane),
        pollMs: POLL_MS,
        pauseMs: BUSY_PAUSE_MS,
        failure: 'dispatch failed; trying again',
        round: (signal) => this.round(lane, signal),
        drain: () => Promise.all(this.underWay),
      });
    }
    this.tasks.poll({
      channel: 'domain_work',
      pollMs: DISCOVERY_MS,
      pauseMs: BUSY_PAUSE_MS,
      failure: 'discovery of due work failed; trying again',
      round: (signal) => this.discover(signal),
    });
  }

  private async discover(signal: AbortSignal): Promise<number> {
    await this.due.resumeDeferred();
    const beganMs = performance.now();
    await this.due.discover(signal);
    return Math.min(restAfter(performance.now() - beganMs), MAX_DISCOVERY_PAUSE_MS);
  }

  private async round(lane: WorkLane, signal: AbortSignal): Promise<number> {
    const { batch, maxWaiting } = lanes[lane];
    if (lane === 'certificates') await this.due.resumeDeferred();
    if (!this.due.hasReady(lane)) return MIN_PAUSE_MS;
    const rows = {
      batch,
      maxWaiting,
      waitingCount: () => this.messaging.jobs[lane].waitingCount(),
      isReady: () => this.due.isReady,
      claimDue: (limit: number) => this.due.claim(lane, limit),
      dispatch: (claimed: readonly ClaimedWork[]) => this.dispatchAll(lane, claimed),
    };
    return (await dispatchDue(rows, signal)) < MANY ? MIN_PAUSE_MS : BUSY_PAUSE_MS;
  }

  private async dispatchAll(lane: WorkLane, claimed: readonly ClaimedWork[]): Promise<void> {
    const claims = await this.due.holdSuspended(claimed);
    const atOnce = claims.filter((claim) => !involvesEdges(claim));
    const afterEdges = claims.filter(involvesEdges);
    if (afterEdges.length > 0)
      this.track(this.dispatch(lane, afterEdges, (group) => this.builder.buildAfterEdges(group)));
    if (atOnce.length > 0) await this.dispatch(lane, atOnce, (group) => this.builder.build(group));
  }

  private dispatch(
    lane: WorkLane,
    claims: readonly ClaimedWork[],
    build: (claims: readonly ClaimedWork[]) => Promise<BuiltWork>,
  ): Promise<void> {
    return dispatchClaims(claims, {
      build,
      enqueue: (jobs) => this.messaging.jobs[lane].addBulk(jobs),
      keepsLease: ({ kind }) => kind === 'issuance',
      defer: (group) => this.due.defer(group),
      applyAnswers: (answers) => this.applyAnswers(answers),
      release: (group, afterSeconds) => this.due.release(group, afterSeconds),
      failure: 'jobs not dispatched; their rows are released',
      log: this.log,
    });
  }

  private async applyAnswers(answers: BuiltWork['answers']): Promise<void> {
    await Promise.all(
      answers.map(({ claim, answer: trigger }) =>
        this.lifecycle.applyResult(claim.kind, claim, { type: 'decided', trigger }, { traceParent: claim.traceParent }),
      ),
    );
  }

  private track(dispatching: Promise<void>): void {
    this.underWay.add(dispatching);
    void dispatching.finally(() => this.underWay.delete(dispatching));
  }
}

/** Issuance and probes wait until the edges know the name. DNS checks and requests to the CA do not. */
function involvesEdges({ kind }: ClaimedWork): boolean {
  return kind === 'issuance' || kind === 'probe';
}
