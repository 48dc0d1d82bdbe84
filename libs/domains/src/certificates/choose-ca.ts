import type { BudgetVerdict } from './ca-limits.js';

/** A configured CA and its state for one domain. */
export interface CaCandidate {
  readonly directoryUrl: string;
  /** Failed attempts since the last certificate that the CA caused (class `rate`, or `passing` after the preflight checks). */
  readonly failures: number;
  /** The time until which the CA refuses this domain; null if it named none. */
  readonly retryAt: Date | null;
  readonly budget: BudgetVerdict;
}

export type CaChoice =
  | { readonly kind: 'chosen'; readonly directoryUrl: string }
  | { readonly kind: 'deferred'; readonly until: Date; readonly candidate: CaCandidate };

/**
 * Chooses the CA for the next order: of those that may be used now, the one with the fewest failures for this domain; the
 * first in order among equals. A failing CA is therefore replaced immediately, all CAs take turns while all fail, and a
 * certificate, which clears the counts, leads back to the first. Failures of the owner are not counted, since they would
 * occur at every CA.
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
