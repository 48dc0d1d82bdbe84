import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Messaging } from '@pets/messaging';
import type { Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { dispatchClaims, dispatchDue } from '../../platform/lease-dispatcher.js';
import type { Config } from '../../platform/config.js';
import { CONFIG, LOG, MESSAGING } from '../../platform/providers.js';
import type { SlotLimits } from './assign-slots.js';
import type { ClaimedDelivery } from './webhook-claim.query.js';
import { WebhookJobBuilder } from './webhook-job-builder.js';
import { WebhookOutcomes } from './webhook-outcomes.service.js';
import { WebhookWorkRepository } from './webhook-work.repository.js';

const POLL_MS = 1_000;
const BATCH = 200;
const MAX_WAITING = 500;

/** Minimum time between rounds: under load a round finds several deliveries. */
const PAUSE_MS = 20;

/** Concurrent requests of a worker to one receiver. */
const PER_RECEIVER = 16;

/** How long a count of the workers is believed. */
const COUNTED_MS = 5_000;

/**
 * Creates jobs for due deliveries. An attempt number is assigned once, and a worker drops a job after its lease, so no two
 * replicas send the same attempt.
 */
@Injectable()
export class WebhookDispatcher implements OnModuleInit {
  private workers = { count: 1, untilMs: 0 };

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'WEBHOOK_CONCURRENCY'>,
    private readonly work: WebhookWorkRepository,
    private readonly builder: WebhookJobBuilder,
    private readonly outcomes: WebhookOutcomes,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly tasks: BackgroundTasks,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.tasks.poll({
      channel: 'webhook_deliveries',
      pollMs: POLL_MS,
      pauseMs: PAUSE_MS,
      failure: 'webhook dispatch failed; trying again',
      round: (signal) => this.round(signal),
    });
  }

  /** @returns a pause as long as the round: a large backlog takes half of one connection at most */
  private async round(signal: AbortSignal): Promise<number> {
    const begunMs = performance.now();
    const limits = await this.slotLimits();
    const rows = {
      batch: BATCH,
      maxWaiting: MAX_WAITING,
      waitingCount: () => this.messaging.webhooks.waitingCount(),
      isReady: () => this.builder.canSign,
      claimDue: (limit: number) => this.work.claimDue(limit, limits),
      dispatch: (claims: readonly ClaimedDelivery[]) => this.dispatch(claims),
    };
    await dispatchDue(rows, signal);
    return Math.max(PAUSE_MS, performance.now() - begunMs);
  }

  private async slotLimits(): Promise<SlotLimits> {
    const nowMs = Date.now();
    if (nowMs >= this.workers.untilMs) {
      // A store may forbid to list its clients: then the slots of one worker are shared.
      const count = await this.messaging.countWebhookWorkers().catch(() => 1);
      this.workers = { count: Math.max(count, 1), untilMs: nowMs + COUNTED_MS };
    }
    const { count } = this.workers;
    return { total: count * this.config.WEBHOOK_CONCURRENCY, perReceiver: count * PER_RECEIVER };
  }

  private dispatch(claims: readonly ClaimedDelivery[]): Promise<void> {
    return dispatchClaims(claims, {
      build: async (built) => this.builder.build(built),
      enqueue: (jobs) => this.messaging.webhooks.addBulk(jobs),
      applyAnswers: async (answers) => {
        await Promise.all(answers.map(({ answer }) => this.outcomes.apply(answer)));
      },
      // If the queue has accepted them after all, their attempt is outdated and its result is dropped.
      release: (open, afterSeconds) => this.work.release(open, afterSeconds),
      failure: 'webhooks not dispatched; their rows are released',
      log: this.log,
    });
  }
}
