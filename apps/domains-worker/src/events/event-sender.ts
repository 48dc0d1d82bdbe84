import { Inject, Injectable } from '@nestjs/common';
import { exponentialDelayMs, retry } from '@pets/async';
import type { DomainEventName, DomainEvents } from '@pets/contracts';
import type { Messaging } from '@pets/messaging';
import { MESSAGING } from '../providers.js';

const ATTEMPTS = 4;
const RETRY_DELAY = { firstMs: 200, maxMs: 800 };

/** Sends the event with the result of a job to the API. */
@Injectable()
export class EventSender {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /**
   * Tries a few times, then throws: the job fails, its lease expires and the row is dispatched again. An abort of the
   * signal leaves one attempt, enough to report that the job was aborted.
   * @param isAwaited whether a person waits for the result
   */
  async send<N extends DomainEventName>(
    name: N,
    event: DomainEvents[N],
    signal: AbortSignal,
    isAwaited = false,
  ): Promise<void> {
    const nextDelayMs = (failures: number) => (failures < ATTEMPTS ? exponentialDelayMs(RETRY_DELAY, failures) : null);
    await retry(() => this.messaging.events.emit(name, event, { isAwaited }), { nextDelayMs, signal });
  }
}
