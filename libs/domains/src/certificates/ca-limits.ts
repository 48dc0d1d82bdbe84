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
