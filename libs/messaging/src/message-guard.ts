import { queues } from '@pets/contracts';
import { UnrecoverableError, type JobsOptions } from 'bullmq';
import type { JobProcessor, QueuedJob } from './backend.js';
import {
  openKeys,
  signMessage,
  textOf,
  verifyMessage,
  wrongMacs,
  type MacKeys,
  type MessageAuthentication,
} from './message-mac.js';

export type QueueName = (typeof queues)[keyof typeof queues];

/** Queues from the worker to the API. */
const eventQueues: ReadonlySet<QueueName> = new Set<QueueName>([queues.events, queues.awaitedEvents]);

export const droppedReasons = ['absent', ...wrongMacs] as const;
export type DroppedReason = (typeof droppedReasons)[number];

/** Counts messages that were dropped: their sender does not have the key. */
export interface MessageObserver {
  dropped(queue: QueueName, reason: DroppedReason): void;
}

interface GuardOptions {
  readonly authentication: MessageAuthentication;
  readonly observer: MessageObserver | undefined;
  readonly now: () => Date;
}

/** A message as its handler receives it. */
export interface ReceivedMessage {
  readonly queue: QueueName;
  readonly id: string | undefined;
  readonly name: string;
  readonly data: unknown;
  readonly attemptsMade: number;
  /** When the message was signed. */
  readonly sentAt: Date;
}

/**
 * Signs messages that are added to a queue, and drops messages that the other process did not sign. Otherwise anybody
 * who can write to the store could claim that DNS was checked, or have a certificate ordered for a CSR of their own.
 *
 * The data of a job are the text of its payload: jsonb would change the order of its keys and the spelling of its numbers.
 * The MAC over that text is an option of the job (`opts.mac`), which both stores keep.
 */
export class MessageGuard {
  readonly queue: QueueName;
  readonly #options: GuardOptions;
  readonly #keys: MacKeys;

  constructor(queue: QueueName, options: GuardOptions) {
    this.queue = queue;
    this.#options = options;
    const { jobKeys, eventKeys } = options.authentication;
    this.#keys = openKeys(eventQueues.has(queue) ? eventKeys : jobKeys);
  }

  sign(jobs: readonly QueuedJob[]): readonly QueuedJob[] {
    const now = this.#options.now();
    return jobs.map((job) => this.#sign(job, now));
  }

  #sign({ data, opts, ...job }: QueuedJob, now: Date): QueuedJob {
    const text = textOf(data);
    const mac = signMessage(this.#keys, { queue: this.queue, name: job.name, text }, now);
    // BullMQ keeps unknown options, which its type does not have.
    return { ...job, data: text, opts: { ...opts, mac } as JobsOptions };
  }

  /** @throws UnrecoverableError for a dropped message, which fails at once with the reason and has no effect */
  admit({ id, name, data, attemptsMade, opts }: Parameters<JobProcessor>[0]): ReceivedMessage {
    const { queue } = this;
    const text: unknown = data;
    const given: unknown = 'mac' in opts ? opts.mac : null;
    if (typeof text !== 'string') throw this.#drop(given === null ? 'absent' : 'malformed');
    const verdict = verifyMessage(this.#keys, { queue, name, text }, given);
    if (verdict.kind !== 'valid') throw this.#drop(verdict.kind === 'absent' ? 'absent' : verdict.reason);
    // Only a text that we have signed is parsed.
    return { queue, id, name, data: JSON.parse(text), attemptsMade, sentAt: verdict.at };
  }

  #drop(reason: DroppedReason): UnrecoverableError {
    this.#options.observer?.dropped(this.queue, reason);
    return new UnrecoverableError(`message dropped: its MAC is ${descriptions[reason]}`);
  }
}

const descriptions: Readonly<Record<DroppedReason, string>> = {
  absent: 'missing',
  malformed: 'malformed',
  unknown_key: 'of a key that is not configured',
  mismatch: 'wrong',
};
