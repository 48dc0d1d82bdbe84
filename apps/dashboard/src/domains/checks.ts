import type { Domain } from '@pets/contracts';

/** A requested check that has no result after this time is not waited for. */
const MAX_CHECK_MS = 30_000;
/** The API allows a new attempt after this time without a certificate, unless an operator set another. */
const REVERIFY_AFTER_MS = 30 * 60_000;

/**
 * Whether a requested DNS check has no result yet.
 * @param ageMs since the domain was read: the clock of the browser may differ from that of the API
 */
export function isChecking(
  { requestedAt, checkedAt }: Pick<Domain['dns'], 'requestedAt' | 'checkedAt'>,
  ageMs: number,
): boolean {
  if (requestedAt === null || ageMs > MAX_CHECK_MS) return false;
  return checkedAt === null || new Date(checkedAt) < new Date(requestedAt);
}

export type Reverify =
  | { readonly kind: 'allowed' }
  /** Allowed then, if there is no certificate by then. */
  | { readonly kind: 'later'; readonly waitMs: number }
  | { readonly kind: 'unneeded' };

/** When the owner may request a new certificate attempt. The API has the last word. */
export function reverifyOf(
  { state, certificate, verifiedAt }: Pick<Domain, 'state' | 'certificate' | 'verifiedAt'>,
  now: Date,
): Reverify {
  if (state !== 'verified' || verifiedAt === null || certificate?.state === 'issued') return { kind: 'unneeded' };
  if (certificate?.state === 'failed') return { kind: 'allowed' };
  const waitMs = new Date(verifiedAt).getTime() + REVERIFY_AFTER_MS - now.getTime();
  return waitMs <= 0 ? { kind: 'allowed' } : { kind: 'later', waitMs };
}
