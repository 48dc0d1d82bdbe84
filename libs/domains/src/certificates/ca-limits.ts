/**
 * What a CA's published limits count. Each stands for a sliding window, the safe reading of a bucket that refills bit by
 * bit: whoever stays below it in every window never empties the bucket.
 */
export type LimitKind = 'registered_domain' | 'exact_set' | 'failures' | 'orders';

export interface CaLimit {
  readonly kind: LimitKind;
  /** So many in any window. */
  readonly max: number;
  readonly windowMs: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** https://letsencrypt.org/docs/rate-limits/, as of 2026-08-05. */
const letsEncrypt: readonly CaLimit[] = [
  { kind: 'registered_domain', max: 50, windowMs: WEEK_MS },
  { kind: 'exact_set', max: 5, windowMs: WEEK_MS },
  { kind: 'failures', max: 5, windowMs: HOUR_MS },
  { kind: 'orders', max: 300, windowMs: 3 * HOUR_MS },
];

/** https://letsencrypt.org/docs/staging-environment/, as of 2026-04-10; 30 000 a second for a registered domain is no limit. */
const letsEncryptStaging: readonly CaLimit[] = [
  { kind: 'exact_set', max: 30_000, windowMs: WEEK_MS },
  { kind: 'failures', max: 200, windowMs: HOUR_MS },
  { kind: 'orders', max: 1_500, windowMs: 3 * HOUR_MS },
];

const limitsByHost: ReadonlyMap<string, readonly CaLimit[]> = new Map([
  ['acme-v02.api.letsencrypt.org', letsEncrypt],
  ['acme-staging-v02.api.letsencrypt.org', letsEncryptStaging],
]);

/**
 * Limits belong to a CA, so to its directory. None are known of the development CA, of Pebble, and of CAs that publish
 * none: what they refuse they say themselves.
 */
export function caLimitsOf(directoryUrl: string): readonly CaLimit[] {
  return limitsByHost.get(new URL(directoryUrl).hostname) ?? [];
}

/** What a limit says, for whoever waits because of it. */
export function describeLimit({ kind, max, windowMs }: CaLimit, names: { name: string; apexName: string }): string {
  const window = windowMs >= DAY_MS ? `${windowMs / DAY_MS} days` : `${windowMs / HOUR_MS} h`;
  switch (kind) {
    case 'registered_domain':
      return `${max} certificates for ${names.apexName} and the names below it in ${window}`;
    case 'exact_set':
      return `${max} certificates for ${names.name} in ${window}`;
    case 'failures':
      return `${max} failed validations of ${names.name} in ${window}`;
    case 'orders':
      return `${max} new certificates of this service in ${window}`;
  }
}

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
