import type { DomainFacts, Transition } from './domain-trigger.js';

/** The outcome that other outcomes differ from. */
export function unchanged(domain: DomainFacts): Transition {
  return {
    state: domain.state,
    misconfigured: domain.misconfigured,
    startsGeneration: false,
    takesOver: false,
    work: {},
    issues: {},
    history: null,
  };
}
