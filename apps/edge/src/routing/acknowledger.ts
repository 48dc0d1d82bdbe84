import type { EdgeAck } from '@pets/contracts';
import type { Logger } from '@pets/platform';
import type { ApiClient } from './api-client.js';

/** What an acknowledgement says at the moment it is sent. */
export type DescribeEdge = () => EdgeAck;

/**
 * Sends acknowledgements one after the other, so that an older one never overtakes a newer. Calls that come while one
 * is under way share the next.
 */
export class Acknowledger {
  #inFlight: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;

  constructor(
    private readonly api: Pick<ApiClient, 'acknowledge'>,
    private readonly describe: DescribeEdge,
    /** Called for each acknowledgement that was taken, with the moment it was sent. */
    private readonly onTaken: (sentAtMs: number, ack: EdgeAck) => void,
    private readonly now: () => number,
    private readonly log: Logger,
  ) {}

  /** Whether an acknowledgement that was sent after this call has been taken. */
  acknowledge(): Promise<boolean> {
    if (this.#inFlight === undefined) return this.#send();
    this.#next ??= this.#inFlight.then(() => {
      this.#next = undefined;
      return this.#send();
    });
    return this.#next;
  }

  /** Resolves when nothing is under way. The limit is that of the requests. */
  async settled(): Promise<void> {
    await (this.#next ?? this.#inFlight);
  }

  #send(): Promise<boolean> {
    const ack = this.describe();
    const sentAtMs = this.now();
    const sending = this.api.acknowledge(ack).then(
      () => {
        this.onTaken(sentAtMs, ack);
        return true;
      },
      (error: unknown) => {
        this.log.warn({ err: error, version: ack.version }, 'the API did not take the acknowledgement');
        return false;
      },
    );
    this.#inFlight = sending.finally(() => {
      this.#inFlight = undefined;
    });
    return this.#inFlight;
  }
}
