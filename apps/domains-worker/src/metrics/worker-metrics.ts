import { queues, type DomainEventName, type DomainEvents } from '@pets/contracts';
import type { ResolverLookups } from '@pets/dns';
import {
  droppedReasons,
  type DomainEventProducer,
  type DomainJobHandlers,
  type DroppedReason,
  type MessageObserver,
  type Messaging,
  type QueueName,
  type WebhookJobHandlers,
} from '@pets/messaging';
import { Counter, Gauge, Histogram, Registry, withLogFields, type LogFields, type Logger } from '@pets/platform';

/** How a job ended. `failed`: its handler threw before it sent an event, so its row is dispatched again. */
type JobResult = 'completed' | 'failed';

/** From a probe in the local network to an order at a slow CA. */
const JOB_BUCKETS_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 45];
const WEBHOOK_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/**
 * Metrics of the worker's jobs and of the events that it sends (label `fact`). No label has a value that a customer has
 * chosen: the operator configures the CAs.
 */
export class WorkerMetrics implements MessageObserver {
  readonly registry = new Registry();
  readonly #jobs = new Histogram({
    name: 'worker_job_duration_seconds',
    help: 'Duration of jobs by result',
    labelNames: ['job', 'result'] as const,
    buckets: JOB_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  readonly #issuance = new Counter({
    name: 'worker_issuance_attempts_total',
    help: 'Certificate attempts by CA, challenge and result: issued, zone (our name server failed the preflight), or the stage that failed',
    labelNames: ['ca', 'method', 'result'] as const,
    registers: [this.registry],
  });
  readonly #webhooks = new Histogram({
    name: 'worker_webhook_duration_seconds',
    help: 'Duration of sent webhooks by class of the response status',
    labelNames: ['result'] as const,
    buckets: WEBHOOK_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  readonly #facts = new Counter({
    name: 'worker_facts_total',
    help: 'Facts sent to the API',
    labelNames: ['fact'] as const,
    registers: [this.registry],
  });
  readonly #droppedMessages = new Counter({
    name: 'worker_messages_dropped_total',
    help: 'Messages dropped because their MAC is missing or wrong, by reason: the sender does not have the key',
    labelNames: ['queue', 'reason'] as const,
    registers: [this.registry],
  });

  constructor() {
    // A series has to exist before its first increment, or `increase` misses it.
    const sent: readonly QueueName[] = [queues.events, queues.awaitedEvents];
    for (const queue of Object.values(queues).filter((name) => !sent.includes(name)))
      for (const reason of droppedReasons) this.#droppedMessages.inc({ queue, reason }, 0);
  }

  dropped(queue: QueueName, reason: DroppedReason): void {
    this.#droppedMessages.inc({ queue, reason });
  }

  job(job: string, result: JobResult, durationMs: number): void {
    this.#jobs.observe({ job, result }, durationMs / 1_000);
  }

  fact<N extends DomainEventName>(name: N, fact: DomainEvents[N]): void {
    this.#facts.inc({ fact: name });
    // The compiler does not connect the type of the fact with its name.
    const named = { name, fact } as { [M in DomainEventName]: { name: M; fact: DomainEvents[M] } }[DomainEventName];
    if (named.name === 'certificate.issued') this.#countAttempt(named.fact, 'issued');
    if (named.name === 'certificate.failed') this.#countAttempt(named.fact, resultOf(named.fact));
    if (named.name === 'webhook.attempted')
      this.#webhooks.observe({ result: answerClassOf(named.fact.status) }, named.fact.durationMs / 1_000);
  }

  /** @param read is called when Prometheus scrapes */
  describeCas(read: () => readonly { readonly directoryUrl: string; readonly isSilent: boolean }[]): void {
    new Gauge({
      name: 'worker_ca_silent',
      help: 'Whether a CA has stopped to answer, so that it gets only one request in a while',
      labelNames: ['ca'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { directoryUrl, isSilent } of read()) this.set({ ca: new URL(directoryUrl).host }, Number(isSilent));
      },
    });
  }

  /** @param read is called when Prometheus scrapes; the operator configures the resolvers */
  describeResolvers(read: () => readonly ResolverLookups[]): void {
    new Counter({
      name: 'worker_dns_lookups_total',
      help: 'Look-ups at the resolvers by result',
      labelNames: ['resolver', 'result'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { resolver, result, count } of read()) this.inc({ resolver, result }, count);
      },
    });
  }

  /** @param read is called when Prometheus scrapes; the operator configures the resolvers */
  describeValidation(read: () => readonly { readonly resolver: string; readonly count: number }[]): void {
    new Gauge({
      name: 'worker_dns_refused_domains',
      help: 'Registered domains whose DNSSEC only this resolver refused in the last ten minutes',
      labelNames: ['resolver'],
      registers: [this.registry],
      collect() {
        for (const { resolver, count } of read()) this.set({ resolver }, count);
      },
    });
  }

  #countAttempt(
    { directoryUrl, method }: DomainEvents['certificate.issued' | 'certificate.failed'],
    result: string,
  ): void {
    // Without a method, the attempt ended before the preflight had chosen one.
    this.#issuance.inc({ ca: new URL(directoryUrl).host, method: method ?? '', result });
  }
}

/** Returns `zone` where our own name server refuses at the preflight, which is our fault; other findings are the owner's. */
function resultOf({ stage, gate }: DomainEvents['certificate.failed']): string {
  return typeof gate?.challengeError === 'string' ? 'zone' : stage;
}

function answerClassOf(status: number | null): string {
  return status === null ? 'no_answer' : `${Math.floor(status / 100)}xx`;
}

type Handlers = DomainJobHandlers | WebhookJobHandlers;
type Handle = (payload: never, signal: AbortSignal) => Promise<void>;

interface Observers {
  readonly metrics: WorkerMetrics;
  readonly log: Logger;
}

/**
 * Decorates messaging: counts jobs and events, logs a line for each job, and adds job, domain and attempt to every line that is
 * logged during a job.
 */
export function observeMessaging(messaging: Messaging, observers: Observers): Messaging {
  const emit: DomainEventProducer['emit'] = async (name, event, options) => {
    await messaging.events.emit(name, event, options);
    observers.metrics.fact(name, event);
  };
  return {
    ...messaging,
    events: { emit },
    processJobs: (handlers, options) => messaging.processJobs(observed(handlers, observers), options),
    processWebhookJobs: (handlers, options) => messaging.processWebhookJobs(observed(handlers, observers), options),
  };
}

function observed<H extends Handlers>(handlers: H, observers: Observers): H {
  const observe = ([job, handle]: [string, Handle]): [string, Handle] => [
    job,
    (payload, signal) =>
      withLogFields({ job, ...fieldsOf(payload) }, () => observeJob(job, () => handle(payload, signal), observers)),
  ];
  // The names stay with their handlers, which the type of `fromEntries` does not express.
  return Object.fromEntries((Object.entries(handlers) as [string, Handle][]).map(observe)) as unknown as H;
}

async function observeJob(job: string, run: () => Promise<void>, { metrics, log }: Observers): Promise<void> {
  const startedMs = performance.now();
  const record = (result: JobResult) => {
    const ms = performance.now() - startedMs;
    metrics.job(job, result, ms);
    log.info({ result, ms: Math.round(ms) }, 'job finished');
  };
  try {
    await run();
  } catch (error) {
    record('failed');
    throw error;
  }
  record('completed');
}

/** The members of a payload that may be logged. */
function fieldsOf(payload: {
  readonly domainId?: string;
  readonly generation?: number;
  readonly deliveryId?: string;
  readonly attempt?: number;
}): LogFields {
  const { domainId, generation, deliveryId, attempt } = payload;
  return {
    ...(domainId !== undefined && { domainId }),
    ...(generation !== undefined && { generation }),
    ...(deliveryId !== undefined && { deliveryId }),
    ...(attempt !== undefined && { attempt }),
  };
}
