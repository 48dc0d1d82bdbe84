import type { DomainIssue } from '@pets/contracts';
import type { OwnershipVerdict } from '../dns/evaluate-ownership.js';
import { explainTokenNearMiss, type NearMiss } from '../dns/near-miss.js';
import { describeIssue } from '../issues.js';

export interface OwnershipFacts {
  readonly verdict: OwnershipVerdict;
  readonly host: string;
  readonly token: string;
}

export interface ClaimFacts {
  readonly name: string;
  /** Whether another organization has the name verified or live. */
  readonly isClaimedElsewhere: boolean;
  /** Of this very check; null where no proof of ownership is required. */
  readonly ownership: OwnershipFacts | null;
}

/** Whose a name is: nobody's else, so that it is free; another's, from whom the proof takes it; or not to be had yet. */
export type ClaimVerdict =
  | { readonly kind: 'free' }
  | { readonly kind: 'takes_over' }
  | { readonly kind: 'waits'; readonly issues: readonly DomainIssue[] };

/**
 * Records that point here say who set the DNS up, not who may take a name from somebody. That takes the proof, found by
 * the same check: an older one may have been put there by whoever had the name before.
 */
export function evaluateClaim({ name, isClaimedElsewhere, ownership }: ClaimFacts): ClaimVerdict {
  if (ownership?.verdict.kind === 'proven') return { kind: isClaimedElsewhere ? 'takes_over' : 'free' };
  const issues = ownership === null ? [] : unprovenIssues(ownership);
  if (!isClaimedElsewhere) return issues.length === 0 ? { kind: 'free' } : { kind: 'waits', issues };
  const evidence = { name, ...(ownership !== null && { proof: ownership.host }) };
  return { kind: 'waits', issues: [...issues, describeIssue('claimed_elsewhere', evidence)] };
}

/** Why a name is not proven to be its owner's; none where it is. */
export function unprovenIssues({ verdict, host, token }: OwnershipFacts): readonly DomainIssue[] {
  switch (verdict.kind) {
    case 'proven':
      return [];
    case 'refuted':
      return [describeIssue('ownership_txt_missing', { name: host, expected: token, ...explain(verdict.seen, token) })];
    case 'unknown':
      return [describeIssue('resolver_failed', { errors: [verdict.error] })];
  }
}

/** What stands in the place of the token, and how the first that is near enough misses it. */
function explain(seen: readonly string[] = [], token: string): Partial<NearMiss> & { seen?: readonly string[] } {
  if (seen.length === 0) return {};
  const nearMiss = seen.map((value) => explainTokenNearMiss(value, token)).find((found) => found !== null);
  return { seen, ...nearMiss };
}
