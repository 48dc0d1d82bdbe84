import type { Transaction, TransactionBuilder } from 'kysely';
import { insideTransaction, markChanged } from './connection-shares.js';

/**
 * Wake-ups over PostgreSQL's LISTEN and NOTIFY. A notification may be lost when a connection breaks, so every listener polls
 * as well. It carries no data, except the version that `edge_ack_waits` announces.
 */
export const channels = [
  'domain_work',
  'certificate_revocations',
  'revocation_checks',
  'edge_feed',
  'edge_acks',
  'edge_ack_waits',
  'project_events',
  'webhook_deliveries',
  'plan_changes',
  'domain_imports',
] as const;
export type Channel = (typeof channels)[number];

type AfterCommit = (notifications: NotificationSender) => void;

/** Functions that the open transactions have registered. */
const registered = new WeakMap<object, AfterCommit[]>();

/**
 * Runs something once the transaction has committed, and never if it is rolled back. A process that dies in between does
 * not run it, so it can only be a hint.
 * @param run must not throw; nobody waits for what it starts
 * @returns false for a transaction that `openDatabase` has not started: nothing will run
 */
export function afterCommit(tx: object, run: AfterCommit): boolean {
  return registered.get(tx)?.push(run) !== undefined;
}

/** The builder, whose transactions run what `afterCommit` has registered. */
export function runningAfterCommit<Tables>(
  builder: TransactionBuilder<Tables>,
  notifications: NotificationSender,
): TransactionBuilder<Tables> {
  const execute = builder.execute.bind(builder);
  const setIsolationLevel = builder.setIsolationLevel.bind(builder);
  const setAccessMode = builder.setAccessMode.bind(builder);
  return Object.assign(builder, {
    execute: async <T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> => {
      const runs: AfterCommit[] = [];
      const result = await execute((tx) => {
        registered.set(tx, runs);
        return insideTransaction(() => work(tx));
      });
      markChanged();
      for (const run of runs) run(notifications);
      return result;
    },
    setIsolationLevel: (...level: Parameters<typeof setIsolationLevel>) =>
      runningAfterCommit(setIsolationLevel(...level), notifications),
    setAccessMode: (...mode: Parameters<typeof setAccessMode>) =>
      runningAfterCommit(setAccessMode(...mode), notifications),
  });
}

interface Notification {
  readonly channel: Channel;
  readonly payload: string;
}

/** Different payloads that may wait for a channel; with more it gets one notification without a payload. */
const MOST_PAYLOADS = 100;

/**
 * Sends notifications in transactions of their own. PostgreSQL commits transactions with a NOTIFY one after the other, in
 * the complete cluster and with their waits for the disk, so a NOTIFY in every transaction would serialize all commits.
 *
 * One statement is under way at a time. Meanwhile, equal notifications become one.
 */
export class NotificationSender {
  readonly #execute: (notifications: readonly Notification[]) => Promise<unknown>;
  readonly #onError: (error: Error) => void;
  #waiting = new Map<Channel, Set<string>>();
  #sending: Promise<void> | undefined;

  /** @param execute sends all in one statement; a failure is reported, and listeners find the rest when they poll */
  constructor(execute: (notifications: readonly Notification[]) => Promise<unknown>, onError: (error: Error) => void) {
    this.#execute = execute;
    this.#onError = onError;
  }

  send(channel: Channel, payload = ''): void {
    const payloads = this.#waiting.get(channel) ?? new Set();
    this.#waiting.set(channel, payloads.size < MOST_PAYLOADS ? payloads.add(payload) : new Set(['']));
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when everything is sent. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    await Promise.resolve(); // until all notifications of the transaction are here
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].flatMap(([channel, payloads]) =>
        [...payloads].map((payload) => ({ channel, payload })),
      );
      this.#waiting = new Map();
      await this.#execute(batch).catch((error: unknown) => {
        this.#onError(error instanceof Error ? error : new Error(String(error)));
      });
    }
    this.#sending = undefined;
  }
}
