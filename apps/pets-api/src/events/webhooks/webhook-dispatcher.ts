import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import type { Messaging, WebhookJob } from '@pets/messaging';
import { unseal, type Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { webhookSecretBinding } from '../../platform/encryption-keys/bindings.js';
import { KeyCheck } from '../../platform/encryption-keys/key-check.js';
import { dispatchClaims, dispatchDue, type Built } from '../../platform/lease-dispatcher.js';
import { CLOCK, CONFIG, LOG, MESSAGING } from '../../platform/providers.js';
import type { SlotLimits } from './assign-slots.js';
import { signWebhook } from './sign-webhook.js';
import { WebhookOutcomes } from './webhook-outcomes.service.js';
import { WebhookWorkRepository, type ClaimedDelivery } from './webhook-work.repository.js';

/** A delivery that cannot be signed gets a failed attempt instead of a job. */
type BuiltDeliveries = Built<ClaimedDelivery, WebhookJob, DomainEvents['webhook.attempted']>;

/** Builds the jobs of due deliveries. Each is signed for its attempt here, so that no job contains a secret. */
@Injectable()
export class WebhookJobBuilder {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly keys: KeyCheck,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** A replica with wrong keys cannot open any secret. */
  get canSign(): boolean {
    return this.keys.isUsable;
  }

  build(claims: readonly ClaimedDelivery[]): BuiltDeliveries {
    const built = claims.map((claim) => this.buildOne(claim));
    return { jobs: built.flatMap(({ jobs }) => jobs), answers: built.flatMap(({ answers }) => answers) };
  }

  private buildOne(claim: ClaimedDelivery): BuiltDeliveries {
    const now = this.clock();
    try {
      return { jobs: [{ claim, job: this.sign(claim, now) }], answers: [] };
    } catch (error) {
      const { deliveryId, attempt, endpointId } = claim;
      this.log.error({ err: error, deliveryId, endpointId }, 'webhook signing failed');
      const noResponse = {
        status: null,
        durationMs: 0,
        retryAt: null,
        bodyStart: null,
        requestHeaders: null,
        responseHeaders: null,
      };
      const reason = 'the request could not be signed: rotate the secret of the endpoint';
      const answer = { deliveryId, attempt, at: now.toISOString(), error: reason, ...noResponse };
      return { jobs: [], answers: [{ claim, answer }] };
    }
  }

  /** @throws Error when a secret does not open */
  private sign(claim: ClaimedDelivery, now: Date): WebhookJob {
    const { deliveryId, attempt, leaseUntil, endpointId, url, body, secrets } = claim;
    const opened = secrets.map(({ id, sealed }) =>
      unseal(this.config.CERTIFICATE_KEKS, sealed, webhookSecretBinding(id, endpointId)),
    );
    const headers = signWebhook({ id: deliveryId, body, sentAt: now }, opened);
    const payload = { deliveryId, attempt, leaseUntil: leaseUntil.toISOString(), url, headers, body };
    return { name: 'deliver-webhook', payload };
  }
}

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
