import { challengeMethods, type ChallengeMethod, isWildcard } from '@pets/contracts';
import { mayOrderByDelegation, type DelegationFacts } from '../lifecycle/preparation.js';

export interface MethodFacts extends DelegationFacts {
  readonly name: string;
  /** The method of the newest certificate; null without one. */
  readonly previous: ChallengeMethod | null;
  /** The method whose challenge failed in the last attempt since then; null if none did. */
  readonly failed: ChallengeMethod | null;
}

/**
 * The methods that the next attempt may use, in the order of preference: that of the last certificate, then HTTP-01, and at
 * the end one whose challenge has just failed. HTTP-01 needs a name that points here, which the preflight of the attempt
 * checks; DNS-01 needs the delegation, and is the only method for a wildcard (RFC 8555 §7.1.3, CA/Browser Forum §3.2.2.4.19). Empty if no challenge can succeed.
 */
export function chooseMethods(facts: MethodFacts, now: Date): readonly ChallengeMethod[] {
  if (facts.state === 'removed') return [];
  const possible = challengeMethods.filter((method) => {
    switch (method) {
      case 'http-01':
        return facts.state !== 'awaiting_dns' && !isWildcard(facts.name);
      case 'dns-01':
        return mayOrderByDelegation(facts, now);
    }
  });
  const rankOf = (method: ChallengeMethod) => (method === facts.failed ? 2 : method === facts.previous ? 0 : 1);
  return possible.toSorted((one, other) => rankOf(one) - rankOf(other));
}
