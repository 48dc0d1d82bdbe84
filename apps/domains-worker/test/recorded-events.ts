import type { DomainEventName, DomainEvents } from '@pets/contracts';
import type { Messaging } from '@pets/messaging';
import { EventSender } from '../src/events/event-sender.js';

type RecordedEvent = { [N in DomainEventName]: { name: N; payload: DomainEvents[N] } }[DomainEventName];

/** The moment at which a process dies: with an event that the queue has taken, or has not. */
export interface Death {
  readonly at: DomainEventName;
  readonly isTaken: boolean;
  readonly died: () => void;
}

/** A sender that records its events, or some of them, and fails for the first `refusals`. After its death nothing it waits for happens. */
export function recordEvents(
  refusals = 0,
  death?: Death,
  isRecorded: (name: DomainEventName) => boolean = () => true,
): { sender: EventSender; events: RecordedEvent[] } {
  const events: RecordedEvent[] = [];
  let left = refusals;
  const emit = async (name: DomainEventName, payload: DomainEvents[DomainEventName]) => {
    if (left-- > 0) throw new Error('the store is unavailable');
    if (isRecorded(name) && (name !== death?.at || death.isTaken)) events.push({ name, payload } as RecordedEvent);
    if (name !== death?.at) return;
    death.died();
    await new Promise<never>(() => undefined);
  };
  // The sender uses only `events` of messaging.
  return { sender: new EventSender({ events: { emit } } as unknown as Messaging), events };
}
