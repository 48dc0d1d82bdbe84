import type { BudgetVerdict } from './ca-limits.js';

/** A configured CA and its state for one domain. */
export interface CaCandidate {
  readonly directoryUrl: string;
  /** Failed attempts that the CA caused, since the last certificate: class `rate`, or `passing` after the preflight. */
  readonly failures: number;
  /** The time until which the CA refuses this domain; null if it named none. */
  readonly retryAt: Date | null;
  readonly budget: BudgetVerdict;
}

export type CaChoice =
  | { readonly kind: 'chosen'; readonly directoryUrl: string }
  | { readonly kind: 'deferred'; readonly until: Date; readonly candidate: CaCandidate };

/**
 * Chooses the CA for the next order: among those that may be used now, the one with the fewest failures for this domain, and
 * the first configured one among equals. So a failing CA is replaced immediately, and while all fail, each is tried in turn.
 * An issued certificate resets the counts. Failures that the owner caused do not count: they would occur at every CA.
 * @param candidates in the configured order, at least one
 * @throws Error without candidates
 */
export function chooseCa(candidates: readonly CaCandidate[], now: Date): CaChoice {
  const blocks = candidates.map((candidate) => ({ candidate, until: blockedUntil(candidate, now) }));
  const free = blocks.flatMap(({ candidate, until }) => (until === null ? [candidate] : []));
  const [best] = free.toSorted((one, other) => one.failures - other.failures);
  if (best !== undefined) return { kind: 'chosen', directoryUrl: best.directoryUrl };
  const blocked = blocks.flatMap(({ candidate, until }) => (until === null ? [] : [{ candidate, until }]));
  const [soonest] = blocked.toSorted((one, other) => one.until.getTime() - other.until.getTime());
  if (soonest === undefined) throw new Error('no CA is configured');
  return { kind: 'deferred', ...soonest };
}

/** Whether another CA has fewer failures for this domain than the one that failed, and may be used now. */
export function hasOtherCa(candidates: readonly CaCandidate[], failedDirectoryUrl: string, now: Date): boolean {
  const failures = candidates.find(({ directoryUrl }) => directoryUrl === failedDirectoryUrl)?.failures ?? Infinity;
  return candidates.some((other) => other.failures < failures && blockedUntil(other, now) === null);
}

function blockedUntil({ retryAt, budget }: CaCandidate, now: Date): Date | null {
  const ends = [retryAt, budget.allowed ? null : budget.until].filter((end) => end !== null && end > now);
  return ends.toSorted((one, other) => Number(other) - Number(one))[0] ?? null;
}
