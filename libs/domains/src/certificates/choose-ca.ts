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
  const blocks = candidates.map((candidate) => ({ candidate, block: blockOf(candidate, now) }));
  const free = blocks.flatMap(({ candidate, block }) => (block === null ? [candidate] : []));
  const [best] = free.toSorted((one, other) => one.failures - other.failures);
  if (best !== undefined) return { kind: 'chosen', candidate: best };
  const blocked = blocks.flatMap(({ candidate, block }) => (block === null ? [] : [{ candidate, ...block }]));
  const [soonest] = blocked.toSorted((one, other) => one.until.getTime() - other.until.getTime());
  if (soonest === undefined) throw new Error('no CA is configured');
  return { kind: 'deferred', ...soonest };
}

/** Whether another account has fewer failures for this domain than the one that failed, and may be used now. */
export function hasOtherCa(candidates: readonly CaCandidate[], failed: CaAccountRef, now: Date): boolean {
  const failedId = caAccountId(failed);
  const failures = candidates.find((candidate) => caAccountId(candidate) === failedId)?.failures ?? Infinity;
  return candidates.some((other) => other.failures < failures && blockOf(other, now) === null);
}

/** What prevents an order for the longest time; null when nothing does. */
function blockOf({ retryAt, accountPausedUntil, apexPausedUntil, budget }: CaCandidate, now: Date): Block | null {
  const ends: readonly { readonly until: Date | null; readonly by: Blocker }[] = [
    { until: budget.allowed ? null : budget.until, by: budget.allowed ? 'name' : blockerOf[budget.limit.kind] },
    { until: accountPausedUntil, by: 'account' },
    { until: apexPausedUntil, by: 'registered_domain' },
    { until: retryAt, by: 'name' },
  ];
  const current = ends.flatMap(({ until, by }) => (until !== null && until > now ? [{ until, by }] : []));
  return current.toSorted((one, other) => other.until.getTime() - one.until.getTime())[0] ?? null;
}

const blockerOf = {
  orders: 'account',
  registered_domain: 'registered_domain',
  exact_set: 'name',
  failures: 'name',
} as const satisfies Record<string, Blocker>;
