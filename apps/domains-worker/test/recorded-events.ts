import type { DomainEventName, DomainEvents } from '@pets/contracts';
import type { Messaging } from '@pets/messaging';
import { FactEmitter } from '../src/facts/fact-emitter.js';

type Fact = { [N in DomainEventName]: { name: N; payload: DomainEvents[N] } }[DomainEventName];

/** An emitter that records its facts and refuses the first `refusals`. */
export function recordFacts(refusals = 0): { emitter: FactEmitter; facts: Fact[] } {
  const facts: Fact[] = [];
  let left = refusals;
  const emit = async (name: DomainEventName, payload: DomainEvents[DomainEventName]) => {
    if (left-- > 0) throw new Error('the store is unavailable');
    facts.push({ name, payload } as Fact);
  };
  // The emitter uses only `events` of messaging.
  return { emitter: new FactEmitter({ events: { emit } } as unknown as Messaging), facts };
}
