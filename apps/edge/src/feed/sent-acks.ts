import type { EdgeSessionAck } from '@pets/contracts';

/** Older unconfirmed ones are forgotten: the API confirms the newest. */
const MAX_UNCONFIRMED = 1_024;

/** The acknowledgements that this edge has sent in a session and that the API has not confirmed. */
export class SentAcks {
  readonly #unconfirmed = new Map<number, EdgeSessionAck>();

  add(ack: EdgeSessionAck): void {
    this.#unconfirmed.delete(ack.sentAtMs); // moves it to the end
    this.#unconfirmed.set(ack.sentAtMs, ack);
    const [oldest] = this.#unconfirmed.keys();
    if (oldest !== undefined && this.#unconfirmed.size > MAX_UNCONFIRMED) this.#unconfirmed.delete(oldest);
  }

  /**
   * The API has committed the ack that was sent at this time, and with it every earlier one.
   * @returns undefined for a time that this edge did not send: a lease must not depend on it
   */
  confirm(sentAtMs: number): EdgeSessionAck | undefined {
    const ack = this.#unconfirmed.get(sentAtMs);
    if (ack === undefined) return undefined;
    for (const earlier of this.#unconfirmed.keys()) {
      this.#unconfirmed.delete(earlier);
      if (earlier === sentAtMs) break;
    }
    return ack;
  }
}
