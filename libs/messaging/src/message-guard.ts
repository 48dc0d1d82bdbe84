import { queues } from '@pets/contracts';
import { UnrecoverableError, type JobsOptions } from 'bullmq';
import type { JobProcessor } from './backend.js';
import type { MacKeyRing } from './message-mac.js';
import { signMessage, toStorable, verifyMessage, wrongMacs } from './message-mac.js';
import type { MessageAuthentication } from './message-keys.js';
import type { QueuedJob } from './queue-telemetry.js';

export type QueueName = (typeof queues)[keyof typeof queues];

export const droppedReasons = ['absent', ...wrongMacs] as const;
export type DroppedReason = (typeof droppedReasons)[number];

/** Who counts what is not as it should be. */
export interface MessageObserver {
  /** A message was dropped: its sender has no key. */
  dropped(queue: QueueName, reason: DroppedReason): void;
  /** A message without a MAC was taken, as `accept` allows. */
  unsigned(queue: QueueName): void;
}

interface GuardOptions {
  readonly authentication: MessageAuthentication | undefined;
  readonly observer: MessageObserver | undefined;
  readonly now: () => Date;
}

/** A message as its handler gets it. */
export interface ReceivedMessage {
  readonly id: string | undefined;
  readonly name: string;
  readonly data: unknown;
  readonly attemptsMade: number;
  /** When it was signed; for one without a MAC, when it arrived. */
  readonly sentAt: Date;
}

/**
 * Both ends of one queue: signs what is added, and drops what was not signed by the other process. Whoever can write to
 * the store could otherwise say that DNS was checked, or have a certificate ordered for a request of their own.
 *
 * The MAC is among the options of a job (`opts.mac`), which both stores keep and a consumer of an older version ignores; a
 * payload is what its schema says, with and without keys.
 */
export class MessageGuard {
  readonly #ring: MacKeyRing | undefined;

  constructor(
    readonly queue: QueueName,
    private readonly options: GuardOptions,
  ) {
    const { authentication } = options;
    this.#ring = queue === queues.events ? authentication?.eventKeys : authentication?.jobKeys;
  }

  sign(jobs: readonly QueuedJob[]): readonly QueuedJob[] {
    const now = this.options.now();
    return jobs.map((job) => this.#sign(job, now));
  }

  #sign({ data, opts, ...job }: QueuedJob, now: Date): QueuedJob {
    const payload = toStorable(data);
    if (this.#ring === undefined) return { ...job, data: payload, opts };
    const mac = signMessage(this.#ring, { queue: this.queue, name: job.name, payload }, now);
    // BullMQ keeps options that it does not know; its type has only those that it does.
    return { ...job, data: payload, opts: { ...opts, mac } as JobsOptions };
  }

  /** @throws UnrecoverableError for a message that is dropped: it fails at once, with the reason, and without an effect */
  admit({ id, name, data, attemptsMade, opts }: Parameters<JobProcessor>[0]): ReceivedMessage {
    return { id, name, data, attemptsMade, sentAt: this.#sentAt(name, data, opts) ?? this.options.now() };
  }

  /** Null for a message without a MAC that is taken all the same. */
  #sentAt(name: string, payload: unknown, opts: object): Date | null {
    const { authentication, observer } = this.options;
    if (this.#ring === undefined) return null;
    const verdict = verifyMessage(this.#ring, { queue: this.queue, name, payload }, 'mac' in opts ? opts.mac : null);
    if (verdict.kind === 'valid') return verdict.at;
    if (verdict.kind === 'absent' && authentication?.policy === 'accept') {
      observer?.unsigned(this.queue);
      return null;
    }
    const reason = verdict.kind === 'absent' ? 'absent' : verdict.reason;
    observer?.dropped(this.queue, reason);
    throw new UnrecoverableError(`message dropped: its MAC is ${descriptions[reason]}`);
  }
}

const descriptions: Readonly<Record<DroppedReason, string>> = {
  absent: 'missing',
  malformed: 'malformed',
  unknown_key: 'of a key that is not configured',
  mismatch: 'wrong',
};
