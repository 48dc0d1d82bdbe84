import type { BudgetVerdict } from './ca-limits.js';

/** What is known of a CA when a domain needs a certificate. */
export interface CaCandidate {
  readonly directoryUrl: string;
  /** Attempts that failed for the CA's own reasons (rate, or passing and not at our gate) since the last certificate. */
  readonly failures: number;
  /** Until when it wants to be left alone with this domain; null when it has not said. */
  readonly retryAt: Date | null;
  readonly budget: BudgetVerdict;
}

export type CaChoice =
  | { readonly kind: 'chosen'; readonly directoryUrl: string }
  | { readonly kind: 'deferred'; readonly until: Date; readonly candidate: CaCandidate };

/**
 * Which CA to ask: of those that may be asked now, the one that has failed this domain least often, the first in order
 * among equals. So one that fails hands over at once, the work is shared while all of them fail, and a certificate,
 * which clears the counts, leads back to the first. The owner's failures are not counted: they would fail everywhere.
 * @param candidates in the configured order, at least one
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

/** Whether another CA may be asked now that has failed the domain less often than the one that has just failed. */
export function hasOtherCa(candidates: readonly CaCandidate[], failedDirectoryUrl: string, now: Date): boolean {
  const failures = candidates.find(({ directoryUrl }) => directoryUrl === failedDirectoryUrl)?.failures ?? Infinity;
  return candidates.some((other) => other.failures < failures && blockedUntil(other, now) === null);
}

function blockedUntil({ retryAt, budget }: CaCandidate, now: Date): Date | null {
  const ends = [retryAt, budget.allowed ? null : budget.until].filter((end) => end !== null && end > now);
  return ends.toSorted((one, other) => Number(other) - Number(one))[0] ?? null;
}
