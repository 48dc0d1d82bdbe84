import { queues, type DomainEventName, type DomainEvents } from '@pets/contracts';
import { droppedReasons, type DroppedReason, type MessageObserver, type QueueName } from '@pets/messaging';
import { Counter, Histogram, Registry } from '@pets/platform';

/** How a job ended. `failed`: its handler threw, so that nothing was told and its row is dispatched anew. */
export type JobResult = 'completed' | 'failed';

/** From a probe in one network to an order at a CA that takes its time. */
const JOB_BUCKETS_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 45];
const WEBHOOK_BUCKETS_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];

/**
 * What the worker counts: its jobs, and the facts it tells. A label never holds a name or an address that a customer has
 * chosen: CAs are those that the operator has configured.
 */
export class WorkerMetrics implements MessageObserver {
  readonly registry = new Registry();
  readonly #jobs = new Histogram({
    name: 'worker_job_duration_seconds',
    help: 'Jobs, by how they ended',
    labelNames: ['job', 'result'] as const,
    buckets: JOB_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  readonly #issuance = new Counter({
    name: 'worker_issuance_attempts_total',
    help: 'Attempts at a certificate, by CA and by result: issued, or how far they came',
    labelNames: ['ca', 'result'] as const,
    registers: [this.registry],
  });
  readonly #webhooks = new Histogram({
    name: 'worker_webhook_duration_seconds',
    help: 'Webhooks that were sent, by what was answered',
    labelNames: ['result'] as const,
    buckets: WEBHOOK_BUCKETS_SECONDS,
    registers: [this.registry],
  });
  readonly #facts = new Counter({
    name: 'worker_facts_total',
    help: 'Facts that were told to the API',
    labelNames: ['fact'] as const,
    registers: [this.registry],
  });
  readonly #droppedMessages = new Counter({
    name: 'worker_messages_dropped_total',
    help: 'Messages dropped from the queues because their MAC is missing or wrong, by reason: their sender has no key',
    labelNames: ['queue', 'reason'] as const,
    registers: [this.registry],
  });
  readonly #unsignedMessages = new Counter({
    name: 'worker_messages_unsigned_total',
    help: 'Messages of the queues without a MAC that were accepted',
    labelNames: ['queue'] as const,
    registers: [this.registry],
  });

  constructor() {
    // A series that first shows with its first failure has never risen.
    for (const queue of [queues.jobs, queues.webhooks]) {
      for (const reason of droppedReasons) this.#droppedMessages.inc({ queue, reason }, 0);
      this.#unsignedMessages.inc({ queue }, 0);
    }
  }

  dropped(queue: QueueName, reason: DroppedReason): void {
    this.#droppedMessages.inc({ queue, reason });
  }

  unsigned(queue: QueueName): void {
    this.#unsignedMessages.inc({ queue });
  }

  job(job: string, result: JobResult, durationMs: number): void {
    this.#jobs.observe({ job, result }, durationMs / 1_000);
  }

  fact<N extends DomainEventName>(name: N, fact: DomainEvents[N]): void {
    this.#facts.inc({ fact: name });
    // The name says which fact it is, which the compiler does not follow.
    const told = { name, fact } as { [M in DomainEventName]: { name: M; fact: DomainEvents[M] } }[DomainEventName];
    if (told.name === 'certificate.issued') this.#issued(told.fact.directoryUrl, 'issued');
    if (told.name === 'certificate.failed') this.#issued(told.fact.directoryUrl, told.fact.stage);
    if (told.name === 'webhook.attempted')
      this.#webhooks.observe({ result: answerClassOf(told.fact.status) }, told.fact.durationMs / 1_000);
  }

  #issued(directoryUrl: string, result: string): void {
    this.#issuance.inc({ ca: new URL(directoryUrl).host, result });
  }
}

function answerClassOf(status: number | null): string {
  return status === null ? 'no_answer' : `${Math.floor(status / 100)}xx`;
}
