import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { DomainEventName, DomainEvents } from '@pets/contracts';
import type { Messaging } from '@pets/messaging';
import { MESSAGING } from '../providers.js';

const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 200;

/** Sends what a job found. */
@Injectable()
export class FactEmitter {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /**
   * Tries a few times, then throws: the job fails, its lease runs out and the row is dispatched anew. Once the signal is
   * aborted there is one try left, enough to say that the job gave up.
   */
  async emit<N extends DomainEventName>(name: N, fact: DomainEvents[N], signal: AbortSignal): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.messaging.events.emit(name, fact);
      } catch (error) {
        if (attempt === ATTEMPTS || signal.aborted) throw error;
      }
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal }).catch(() => undefined);
    }
  }
}
