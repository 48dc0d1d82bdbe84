import { caAccountId, type CaAccountRef } from './ca-accounts.js';
import type { BudgetVerdict } from './ca-limits.js';

/** An account at a CA and its state for one domain. */
export interface CaCandidate extends CaAccountRef {
  /**
   * Failed attempts that the CA caused, since the last certificate: class `rate` of the account, and `passing` after the
   * preflight of any account, since they say nothing about the account.
   */
  readonly failures: number;
  /** The time until which the CA refuses this domain; null if it named none. */
  readonly retryAt: Date | null;
  /** The time until which the CA refuses all orders of the account. */
  readonly accountPausedUntil: Date | null;
  /** The time until which the CA refuses all names below the registered domain. */
  readonly apexPausedUntil: Date | null;
  readonly budget: BudgetVerdict;
}

/** What an order waits for: another order of the account, another name below the registered domain, or a time of its own. */
export type Blocker = 'account' | 'registered_domain' | 'name';

interface Block {
  readonly until: Date;
  readonly by: Blocker;
}

export type CaChoice =
  | { readonly kind: 'chosen'; readonly candidate: CaCandidate }
  | ({ readonly kind: 'deferred'; readonly candidate: CaCandidate } & Block);

/**
 * Chooses the account for the next order: among those that may be used now, the one with the fewest failures for this domain,
 * and the preferred one among equals. So a failing CA is replaced immediately, and while all fail, each is tried in turn. An
 * issued certificate resets the counts. Failures that the owner caused do not count: they would occur at every CA.
 * @param candidates in the order of preference, at least one
 * @throws Error without candidates
 */
export function chooseCa(candidates: readonly CaCandidate[], now: Date): CaChoice {
  const free = candidates.filter((candidate) => isFree(candidate, now));
  const [best] = free.toSorted((one, other) => one.failures - other.failures);
  if (best !== undefined) return { kind: 'chosen', candidate: best };
  const blocked = candidates.map((candidate) => ({ candidate, ...blockOf(candidate, now) }));
  const [soonest] = blocked.toSorted((one, other) => one.until.getTime() - other.until.getTime());
  if (soonest === undefined) throw new Error('no CA is configured');
  return { kind: 'deferred', ...soonest };
}

/** Whether another account has fewer failures for this domain than the one that failed, and may be used now. */
export function hasOtherCa(candidates: readonly CaCandidate[], failed: CaAccountRef, now: Date): boolean {
  const failedId = caAccountId(failed);
  const failures = candidates.find((candidate) => caAccountId(candidate) === failedId)?.failures ?? Infinity;
  return candidates.some((other) => other.failures < failures && isFree(other, now));
}

function isFree(candidate: CaCandidate, now: Date): boolean {
  return blockOf(candidate, now).until <= now;
}

/** What prevents an order for the longest time; until now when nothing does. */
function blockOf({ retryAt, accountPausedUntil, apexPausedUntil, budget }: CaCandidate, now: Date): Block {
  const blocks: readonly Block[] = [
    ...(budget.allowed ? [] : [{ until: budget.until, by: blockerOf[budget.limit.kind] }]),
    { until: accountPausedUntil ?? now, by: 'account' },
    { until: apexPausedUntil ?? now, by: 'registered_domain' },
    { until: retryAt ?? now, by: 'name' },
  ];
  return blocks.reduce((longest, block) => (block.until > longest.until ? block : longest));
}

const blockerOf = {
  orders: 'account',
  registered_domain: 'registered_domain',
  exact_set: 'name',
  failures: 'name',
} as const satisfies Record<string, Blocker>;
