/**
 * Certificates that owners upload. Pure decisions: which certificate visitors get, and what time changes about it. The X.509
 * checks of an upload are in pets-api.
 */
import type { CertificateSource, CertificateTrust, DomainIssue } from '@pets/contracts';
import { parentOf } from '../dns/probes.js';
import { describeIssue } from '../issues/issue-catalog.js';
import type { ValidityPeriod } from './renewal.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The automatic certificate takes over so long before the end: for clocks of visitors that are fast, and for slow edges. */
const FALLBACK_MS = HOUR_MS;

/** Owners are warned with a tenth of the lifetime left, but not earlier than this. */
const WARNING_PART = 1 / 10;
const MAX_WARNING_MS = 30 * DAY_MS;

/** Less is left of a certificate than an owner needs to replace it again. */
export const MIN_OWN_CERTIFICATE_LIFE_MS = DAY_MS;

/** An uploaded certificate that can be served. */
export interface ActiveOwnCertificate extends ValidityPeriod {
  readonly isPreferred: boolean;
}

/**
 * Whether the names of a certificate cover a domain (RFC 9525 §6.3): exactly, or with a wildcard for the first label. A domain
 * that is a wildcard itself needs exactly that name.
 * @param name in ASCII form, lower case
 */
export function coversName(names: readonly string[], name: string): boolean {
  const wildcard = `*.${parentOf(name)}`;
  return names.some((found) => found.toLowerCase() === name || found.toLowerCase() === wildcard);
}

/**
 * Chooses the certificate that visitors get: the preferred one, unless it is missing or has expired and the other one
 * is valid.
 */
export function chooseCertificate(
  own: ActiveOwnCertificate | null,
  automatic: ValidityPeriod | null,
  now: Date,
): CertificateSource | null {
  if (own === null) return automatic === null ? null : 'automatic';
  if (automatic === null) return 'own';
  const [isOwnValid, isAutomaticValid] = [own.notAfter > now, automatic.notAfter > now];
  if (isOwnValid !== isAutomaticValid) return isOwnValid ? 'own' : 'automatic';
  return own.isPreferred ? 'own' : 'automatic';
}

/** When the owner is warned that an uploaded certificate ends. */
export function ownExpiryWarningAt({ notBefore, notAfter }: ValidityPeriod): Date {
  const lifeMs = notAfter.getTime() - notBefore.getTime();
  return new Date(notAfter.getTime() - Math.min(lifeMs * WARNING_PART, MAX_WARNING_MS));
}

export type OwnCertificateStep =
  /** Nothing but a warning may be due. @see `nextAt` is the time of the next step */
  | { readonly kind: 'stays'; readonly nextAt: Date }
  /** The certificate ends: now, or soon while another one is there. */
  | { readonly kind: 'ends'; readonly hasFallback: boolean };

/**
 * Returns the next step for an active uploaded certificate. It ends an hour early if an automatic certificate outlives
 * it.
 */
export function nextOwnCertificateStep(
  own: ValidityPeriod,
  automatic: ValidityPeriod | null,
  now: Date,
): OwnCertificateStep {
  const fallbackAt = new Date(own.notAfter.getTime() - FALLBACK_MS);
  const hasFallback = automatic !== null && automatic.notAfter > own.notAfter;
  if (own.notAfter <= now || (hasFallback && fallbackAt <= now)) return { kind: 'ends', hasFallback };
  const moments = [ownExpiryWarningAt(own), fallbackAt, own.notAfter];
  return { kind: 'stays', nextAt: moments.find((moment) => moment > now) ?? own.notAfter };
}

/** The newest upload of a domain, unless it was replaced or removed. */
export interface UploadedCertificate extends ActiveOwnCertificate {
  readonly state: 'checking' | 'active' | 'expired' | 'revoked';
  readonly trust: CertificateTrust;
  readonly issuer: string;
  readonly endedAt: Date | null;
  /** Time of the revocation, as the CA reports it. */
  readonly checkDetail: string | null;
}

/** The issue of an uploaded certificate that visitors do not get any more; null while it can be served. */
export function uploadedCertificateIssue(name: string, uploaded: UploadedCertificate): DomainIssue | null {
  const { state, notAfter, issuer, checkDetail } = uploaded;
  if (state === 'expired') return describeIssue('own_certificate_expired', { name, until: notAfter.toISOString() });
  if (state !== 'revoked') return null;
  return describeIssue('own_certificate_revoked', {
    name,
    issuer,
    ...(checkDetail !== null && { detail: checkDetail }),
  });
}

/** A list that could not be read is read again after these hours, the last of which repeats; a readable one daily. */
const UNKNOWN_CHECK_HOURS = [6, 12, 24] as const;

/**
 * When the revocation list is read again.
 * @param failures attempts before this one since the list was last readable
 * @param jitter from 0 to 1
 */
export function nextRevocationCheck(result: 'good' | 'unknown', failures: number, jitter: number, now: Date): Date {
  const pauseMs = result === 'good' ? DAY_MS : (UNKNOWN_CHECK_HOURS[failures] ?? 24) * HOUR_MS;
  return new Date(now.getTime() + Math.round(pauseMs * (0.75 + jitter / 4)));
}
