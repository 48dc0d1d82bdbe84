import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Messaging } from '@pets/messaging';
import type { Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { dispatchClaims, dispatchDue } from '../../platform/lease-dispatcher.js';
import { LOG, MESSAGING } from '../../platform/providers.js';
import { WebhookJobBuilder } from './webhook-job-builder.js';
import { WebhookOutcomes } from './webhook-outcomes.service.js';
import { WebhookWorkRepository, type ClaimedDelivery } from './webhook-work.repository.js';

const POLL_MS = 1_000;
const BATCH = 200;
const MAX_WAITING = 500;

/** Minimum time between rounds: under load a round finds several deliveries. */
const PAUSE_MS = 20;

/**
 * Creates jobs for due deliveries. An attempt number is assigned once, and a worker drops a job after its lease, so no two
 * replicas send the same attempt.
 */
@Injectable()
export class WebhookDispatcher implements OnModuleInit {
  constructor(
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

  private async round(signal: AbortSignal): Promise<void> {
    const rows = {
      batch: BATCH,
      maxWaiting: MAX_WAITING,
      waitingCount: () => this.messaging.webhooks.waitingCount(),
      isReady: () => this.builder.canSign,
      claimDue: (limit: number) => this.work.claimDue(limit),
      dispatch: (claims: readonly ClaimedDelivery[]) => this.dispatch(claims),
    };
    await dispatchDue(rows, signal);
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
