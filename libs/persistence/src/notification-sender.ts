import type { Channel } from './channels.js';

export interface Notification {
  readonly channel: Channel;
  readonly payload: string;
}

/** With more different payloads waiting, a channel gets one notification without a payload. */
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
