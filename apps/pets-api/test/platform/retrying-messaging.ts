import { setTimeout as sleep } from 'node:timers/promises';
import type { DomainEventProducer, Messaging } from '@pets/messaging';

const ATTEMPTS = 4;
const PAUSE_MS = 200;

/**
 * The same messaging; a fact is tried as often as the worker tries it: on a busy machine, one answer of the queue can come
 * after the producer's limit. A fact that came all the same comes twice then, which pets-api has to bear.
 */
export function retryingMessaging(messaging: Messaging): Messaging {
  const emit: DomainEventProducer['emit'] = async (name, fact) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await messaging.events.emit(name, fact);
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
      }
      await sleep(PAUSE_MS);
    }
  };
  return { ...messaging, events: { emit } };
}
