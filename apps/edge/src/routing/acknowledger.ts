import type { EdgeAck } from '@pets/contracts';
import type { Logger } from '@pets/platform';
import type { ApiClient } from './api-client.js';

/** The content of an acknowledgement, read when it is sent. */
export type DescribeEdge = () => EdgeAck;

/**
 * Sends acknowledgements one after another, so that an older one never overtakes a newer one. Calls during a request share
 * the next request.
 */
export class Acknowledger {
  readonly #api: Pick<ApiClient, 'acknowledge'>;
  readonly #describe: DescribeEdge;
  /** Called for each accepted acknowledgement, with the time at which it was sent. */
  readonly #onAccepted: (sentAtMs: number, ack: EdgeAck) => void;
  readonly #now: () => number;
  readonly #log: Logger;
  #inFlight: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;

  constructor(
    api: Pick<ApiClient, 'acknowledge'>,
    describe: DescribeEdge,
    onTaken: (sentAtMs: number, ack: EdgeAck) => void,
    now: () => number,
    log: Logger,
  ) {
    this.#api = api;
    this.#describe = describe;
    this.#onAccepted = onTaken;
    this.#now = now;
    this.#log = log;
  }

  /** @returns whether the API accepted an acknowledgement that was sent after this call */
  acknowledge(): Promise<boolean> {
    if (this.#inFlight === undefined) return this.#send();
    this.#next ??= this.#inFlight.then(() => {
      this.#next = undefined;
      return this.#send();
    });
    return this.#next;
  }

  /** Resolves when no request is in progress, within the time limit of requests. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#inFlight);
  }

  #send(): Promise<boolean> {
    const ack = this.#describe();
    const sentAtMs = this.#now();
    const sending = this.#api.acknowledge(ack).then(
      () => {
        this.#onAccepted(sentAtMs, ack);
        return true;
      },
      (error: unknown) => {
        this.#log.warn({ err: error, version: ack.version }, 'acknowledgement failed');
        return false;
      },
    );
    this.#inFlight = sending.finally(() => {
      this.#inFlight = undefined;
    });
    return this.#inFlight;
  }
}
