import type { CaLimit, LimitKind } from './ca-limits.js';

/** How an order looks to the CA's limits. */
export interface OrderFacts {
  /** RFC 9773 §5: it names the certificate it replaces. */
  readonly isReplacement: boolean;
  /** The CA issued a certificate for exactly this name lately. */
  readonly isRenewal: boolean;
}

/** When what a limit counts was begun, in any order; what is older than its window may be left out. */
export type BudgetUsage = Readonly<Partial<Record<LimitKind, readonly Date[]>>>;

export type BudgetVerdict =
  { readonly allowed: true } | { readonly allowed: false; readonly limit: CaLimit; readonly until: Date };

/** What an attempt costs, it costs while it runs: at most this long after it was dispatched. */
const ATTEMPT_MS = 60_000;

/**
 * Whether the CA would take an order now, as far as its published limits go. Of several limits that are reached the one
 * that lasts longest is told.
 */
export function evaluateBudget(
  limits: readonly CaLimit[],
  usage: BudgetUsage,
  order: OrderFacts,
  now: Date,
): BudgetVerdict {
  const refusals = limits
    .filter(({ kind }) => appliesTo(kind, order))
    .flatMap((limit) => refusalBy(limit, usage[limit.kind] ?? [], now))
    .toSorted((one, other) => other.until.getTime() - one.until.getTime());
  return refusals[0] ?? { allowed: true };
}

/** How far back a limit looks. */
export function windowStart({ windowMs }: CaLimit, now: Date): Date {
  return new Date(now.getTime() - windowMs - ATTEMPT_MS);
}

/** A replacement is exempt from every limit, a renewal of the exact set from two. */
function appliesTo(kind: LimitKind, order: OrderFacts): boolean {
  return !order.isReplacement && isCounted(kind, order);
}

/**
 * Whether an order uses a limit up for those after it: renewals of either sort are not counted as new certificates of the
 * registered domain or as new orders; to the exact set, and with its failures, each counts.
 */
export function isCounted(kind: LimitKind, { isReplacement, isRenewal }: OrderFacts): boolean {
  return kind === 'exact_set' || kind === 'failures' || !(isReplacement || isRenewal);
}

function refusalBy(limit: CaLimit, times: readonly Date[], now: Date) {
  const since = windowStart(limit, now);
  const counted = times.filter((time) => time > since).toSorted((one, other) => other.getTime() - one.getTime());
  // There is room again when the newest `max` are one fewer, so when the oldest of them has left the window.
  const oldest = counted[limit.max - 1];
  if (oldest === undefined) return [];
  return [{ allowed: false as const, limit, until: new Date(oldest.getTime() + limit.windowMs + ATTEMPT_MS) }];
}
