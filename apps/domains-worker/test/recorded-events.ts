import type { DomainEventName, DomainEvents } from '@pets/contracts';
import type { Messaging } from '@pets/messaging';
import { EventSender } from '../src/events/event-sender.js';

type RecordedEvent = { [N in DomainEventName]: { name: N; payload: DomainEvents[N] } }[DomainEventName];

/** A sender that records its events and fails for the first `refusals`. */
export function recordEvents(refusals = 0): { sender: EventSender; events: RecordedEvent[] } {
  const events: RecordedEvent[] = [];
  let left = refusals;
  const emit = async (name: DomainEventName, payload: DomainEvents[DomainEventName]) => {
    if (left-- > 0) throw new Error('the store is unavailable');
    events.push({ name, payload } as RecordedEvent);
  };
  // The sender uses only `events` of messaging.
  return { sender: new EventSender({ events: { emit } } as unknown as Messaging), events };
}
