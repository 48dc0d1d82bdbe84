const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** From when to when a certificate is valid. */
export interface CertificateLife {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Of the whole life, where renewal begins at the latest, and how much earlier a domain's own turn may come. */
const THIRD = 1 / 3;
const HALF = 1 / 2;
const SPREAD = 1 / 20;

/** A CA's window counts for nothing after this much of the life is left: there must be time for many failures. */
const LATEST_RENEWAL_PART = 1 / 6;

/** Certificates that live for days, not for months (Let's Encrypt's `shortlived`: 160 hours). */
export function isShortLived(life: CertificateLife): boolean {
  return lengthMs(life) < 10 * DAY_MS;
}

/** The moment at which a part of the life is left. @param part from 0 (its end) up to 1 (its beginning) */
export function momentWithLeft(life: CertificateLife, part: number): Date {
  return new Date(life.notAfter.getTime() - lengthMs(life) * part);
}

/**
 * When to renew where the CA does not say: at a third of the life left, at half for certificates that live less than ten
 * days, and up to a twentieth of the life earlier, so that those that were issued together are not renewed together.
 * @param jitter of the domain, from 0 up to 1
 */
export function renewalTime(notBefore: Date, notAfter: Date, jitter = 0): Date {
  const life = { notBefore, notAfter };
  return momentWithLeft(life, (isShortLived(life) ? HALF : THIRD) + jitter * SPREAD);
}

/**
 * When to renew in the CA's window: a time in it that is random among domains and always the same for one; when it has
 * passed, now (RFC 9773 §4.2). A window that ends too late to fail a few times is cut short.
 */
export function renewalInWindow(
  window: { readonly start: Date; readonly end: Date },
  life: CertificateLife,
  jitter: number,
  now: Date,
): Date {
  const chosenMs = window.start.getTime() + jitter * (window.end.getTime() - window.start.getTime());
  const latestMs = momentWithLeft(life, LATEST_RENEWAL_PART).getTime();
  return new Date(Math.max(Math.min(chosenMs, latestMs), now.getTime()));
}

const FIRST_FETCH_DELAY_MS = 60_000;
const FIRST_FETCH_PART = 1 / 10;

/**
 * When a CA is asked of a new certificate for the first time: in a minute, since the domain has to become live first and
 * nothing depends on the answer for long; sooner only for certificates that are renewed sooner.
 */
export function firstRenewalInfo(renewAt: Date, now: Date): Date {
  return new Date(
    now.getTime() + Math.min(FIRST_FETCH_DELAY_MS, (renewAt.getTime() - now.getTime()) * FIRST_FETCH_PART),
  );
}

/** When to ask the CA for its window again: when it says (RFC 9773 §4.3), else two to four times a day. */
export function nextRenewalInfo(retryAt: Date | null, jitter: number, now: Date): Date {
  return retryAt ?? new Date(now.getTime() + (6 + 6 * jitter) * HOUR_MS);
}

/** After a look at the window that failed: in an hour or so, later where the CA says so. */
export function nextRenewalInfoAfterFailure(retryAt: Date | null, jitter: number, now: Date): Date {
  const next = new Date(now.getTime() + (1 + jitter / 4) * HOUR_MS);
  return retryAt !== null && retryAt > next ? retryAt : next;
}

function lengthMs({ notBefore, notAfter }: CertificateLife): number {
  return notAfter.getTime() - notBefore.getTime();
}

/**
 * What a certificate is called in renewal information and in the order that replaces it. RFC 9773 §4.1: authority key
 * identifier and DER-encoded serial number, each base64url without padding, with a dot between.
 * @param keyIdentifier hex, the `keyIdentifier` field of the authority key identifier extension
 * @param serialNumber hex, with or without the zero byte that DER puts before a high bit
 */
export function certificateIdentifier(keyIdentifier: string, serialNumber: string): string {
  return `${base64url(bytesOf(keyIdentifier))}.${base64url(derInteger(bytesOf(serialNumber)))}`;
}

/** X.690 §8.3.2: as few bytes as will do, the first bit being the sign. Of zero alone the last byte stays, `slice(-1)`. */
function derInteger(bytes: readonly number[]): readonly number[] {
  const significant = bytes.slice(bytes.findIndex((byte) => byte !== 0));
  return (significant[0] ?? 0) > 0x7f ? [0, ...significant] : significant;
}

function bytesOf(hex: string): readonly number[] {
  const padded = hex.length % 2 === 0 ? hex : `0${hex}`;
  return (padded.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
}

function base64url(bytes: readonly number[]): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
