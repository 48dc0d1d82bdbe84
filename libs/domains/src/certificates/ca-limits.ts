/**
 * The published rate limits of CAs. Those of a name are evaluated as sliding windows, which is stricter than the token bucket
 * of the CA: orders within the limit of every window never empty the bucket. New orders are `order-queue.ts`.
 */
const limitKinds = ['registered_domain', 'exact_set', 'failures', 'orders'] as const;
export type LimitKind = (typeof limitKinds)[number];

export interface CaLimit {
  readonly kind: LimitKind;
  /** Maximum count in any window; for `orders` the most at once, refilled evenly within the window. */
  readonly max: number;
  readonly windowMs: number;
}

/** All limits of some directories, by URL: they replace the known ones. */
export type CaLimits = ReadonlyMap<string, readonly CaLimit[]>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
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

/** A CA that orders may use: the next of the list takes over when one fails. */
export interface ConfiguredCa {
  readonly directoryUrl: string;
  readonly limits: readonly CaLimit[];
}

/** The CAs in the configured order. @param configured limits that differ from the published ones */
export function configuredCas(directoryUrls: readonly string[], configured: CaLimits): readonly ConfiguredCa[] {
  return directoryUrls.map((directoryUrl) => ({
    directoryUrl,
    limits: configured.get(directoryUrl) ?? knownCaLimits(directoryUrl),
  }));
}

/** The published limits of a CA, by its directory. Empty for development CAs and CAs that publish none. */
export function knownCaLimits(directoryUrl: string): readonly CaLimit[] {
  return limitsByHost.get(new URL(directoryUrl).hostname) ?? [];
}

/** A limit as text for the owner, such as `5 certificates for docs.example.com in 7 days`. */
export function describeLimit({ kind, max, windowMs }: CaLimit, names: { name: string; apexName: string }): string {
  const window = describeWindow(windowMs);
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

function describeWindow(windowMs: number): string {
  if (windowMs % HOUR_MS !== 0) return `${windowMs / MINUTE_MS} min`;
  return windowMs % DAY_MS === 0 && windowMs > DAY_MS ? `${windowMs / DAY_MS} days` : `${windowMs / HOUR_MS} h`;
}

/** The properties of an order that the limits depend on. */
export interface OrderFacts {
  /** RFC 9773 §5: it names the certificate it replaces. */
  readonly isReplacement: boolean;
  /** The CA issued a certificate for exactly this name lately. */
  readonly isRenewal: boolean;
}

/** Limits of a name or a registered domain. */
export type NameLimitKind = Exclude<LimitKind, 'orders'>;

/** Start times of the attempts that each limit counts, in any order. Times before the window may be left out. */
export type BudgetUsage = Readonly<Partial<Record<NameLimitKind, readonly Date[]>>>;

/** A limit that allows no order before a time. */
export interface LimitRefusal {
  readonly limit: CaLimit;
  readonly until: Date;
}

/** The CA counts an attempt while it runs: at most this long after its dispatch. */
export const ATTEMPT_MS = 60_000;

/**
 * The limits that do not allow an order now, the one that ends last first.
 * @param slotAt when the CA has a slot for a new order; null if it has one now
 */
export function evaluateBudget(
  limits: readonly CaLimit[],
  usage: BudgetUsage,
  slotAt: Date | null,
  order: OrderFacts,
  now: Date,
): readonly LimitRefusal[] {
  return limits
    .filter(({ kind }) => appliesTo(kind, order))
    .flatMap((limit) => {
      const until = limit.kind === 'orders' ? slotAt : limitEnd(limit, usage[limit.kind] ?? [], now);
      return until === null ? [] : [{ limit, until }];
    })
    .toSorted((one, other) => other.until.getTime() - one.until.getTime());
}

/** The earliest start time that a limit counts. */
export function windowStart({ windowMs }: CaLimit, now: Date): Date {
  return new Date(now.getTime() - windowMs - ATTEMPT_MS);
}

/** A replacement is exempt from every limit, a renewal of the exact set from two. */
function appliesTo(kind: LimitKind, order: OrderFacts): boolean {
  return !order.isReplacement && isCounted(kind, order);
}

/**
 * Whether an order counts towards a limit. Renewals and replacements do not count as new orders or as new certificates of the
 * registered domain; every order counts towards the exact set, and every failure counts.
 */
export function isCounted(kind: LimitKind, { isReplacement, isRenewal }: OrderFacts): boolean {
  return kind === 'exact_set' || kind === 'failures' || !(isReplacement || isRenewal);
}

/** When a limit that is reached allows an order again: the oldest of the newest `max` has left the window. */
export function limitEnd(limit: CaLimit, times: readonly Date[], now: Date): Date | null {
  const since = windowStart(limit, now);
  const counted = times.filter((time) => time > since).toSorted((one, other) => other.getTime() - one.getTime());
  const oldest = counted[limit.max - 1];
  return oldest === undefined ? null : new Date(oldest.getTime() + limit.windowMs + ATTEMPT_MS);
}

/** The units of a window. `describeLimit` shows hours and days. */
const unitsMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Larger numbers are mistakes: more orders than any CA issues in a day, and a longer window than the ledger is read for. */
const MAX_ORDERS = 10_000_000;
const MAX_WINDOW_MS = 366 * unitsMs.d;

/**
 * Parses the limits that CAs have granted: `DIRECTORY|KIND=MAX/WINDOW|…`, comma-separated, such as
 * `https://ca.example/directory|orders=3000/3h|registered_domain=none`. Kinds that an entry does not name keep the published
 * limit.
 * @returns all limits of the named directories
 * @throws Error that says which entry is wrong
 */
export function parseCaLimits(text: string): CaLimits {
  const limits = new Map<string, readonly CaLimit[]>();
  for (const entry of text.split(',')) {
    const [directoryUrl = entry, ...parts] = entry.split('|').map((part) => part.trim());
    if (!URL.canParse(directoryUrl)) throw new Error(`${directoryUrl || 'an empty entry'} is not a directory URL`);
    if (limits.has(directoryUrl)) throw new Error(`${directoryUrl} has more than one entry`);
    if (parts.length === 0) throw new Error(`${directoryUrl} has no limits: write KIND=MAX/WINDOW or KIND=none`);
    limits.set(directoryUrl, limitsWith(knownCaLimits(directoryUrl), parts));
  }
  return limits;
}

function limitsWith(published: readonly CaLimit[], parts: readonly string[]): readonly CaLimit[] {
  const granted = new Map<LimitKind, CaLimit | null>();
  for (const part of parts) {
    const [name = part, value = ''] = part.split('=', 2);
    const kind = limitKinds.find((known) => known === name);
    if (kind === undefined) throw new Error(`${name || part} is not one of ${limitKinds.join(', ')}`);
    if (granted.has(kind)) throw new Error(`${kind} is given more than once for one directory`);
    granted.set(kind, value === 'none' ? null : parseCaLimit(kind, value));
  }
  return limitKinds.flatMap((kind) => {
    const limit = granted.has(kind) ? granted.get(kind) : published.find((one) => one.kind === kind);
    return limit ? [limit] : [];
  });
}

/** @throws Error when the value is not `MAX/WINDOW` */
function parseCaLimit(kind: LimitKind, value: string): CaLimit {
  const { max, count, unit } = /^(?<max>\d{1,9})\/(?<count>\d{1,5})(?<unit>[mhd])$/.exec(value)?.groups ?? {};
  const windowMs = Number(count) * (unitsMs[unit as keyof typeof unitsMs] ?? 0); // a unit of the expression, or none
  const isLimit = Number(max) >= 1 && Number(max) <= MAX_ORDERS && windowMs >= unitsMs.m && windowMs <= MAX_WINDOW_MS;
  if (!isLimit) throw new Error(`${kind}=${value} is not MAX/WINDOW such as 300/3h (units m, h, d), or none`);
  return { kind, max: Number(max), windowMs };
}
