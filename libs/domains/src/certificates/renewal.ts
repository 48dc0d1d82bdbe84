import { later } from '../lifecycle/schedules.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The validity period of a certificate. */
export interface ValidityPeriod {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Parts of the lifetime: what is left when renewal starts at the latest, and the range over which domains are spread. */
const THIRD = 1 / 3;
const HALF = 1 / 2;
const SPREAD = 1 / 20;

/** The latest renewal within a CA's window: so much of the lifetime must be left for retries. */
const LATEST_RENEWAL_PART = 1 / 6;

/** Whether a certificate is valid for days, not for months (Let's Encrypt's `shortlived`: 160 hours). */
export function isShortLived(life: ValidityPeriod): boolean {
  return lengthMs(life) < 10 * DAY_MS;
}

/** The time at which a part of the lifetime is left. @param part from 0 (the end) to 1 (the beginning) */
export function timeWithLifetimeLeft(life: ValidityPeriod, part: number): Date {
  return new Date(life.notAfter.getTime() - lengthMs(life) * part);
}

/**
 * When to renew without renewal information of the CA: with a third of the lifetime left (half for certificates that are valid
 * for less than ten days), and up to a twentieth of the lifetime earlier, so that certificates that were issued together are
 * not renewed together.
 * @param jitter of the domain, from 0 to 1
 */
export function renewalTime(notBefore: Date, notAfter: Date, jitter = 0): Date {
  const life = { notBefore, notAfter };
  return timeWithLifetimeLeft(life, (isShortLived(life) ? HALF : THIRD) + jitter * SPREAD);
}

/**
 * When to renew within the CA's window (RFC 9773 §4.2): at a time that is random among domains and constant for one; now if
 * that time has passed. If the window ends too late for retries, the time is moved earlier.
 */
export function renewalInWindow(
  window: { readonly start: Date; readonly end: Date },
  life: ValidityPeriod,
  jitter: number,
  now: Date,
): Date {
  const chosenMs = window.start.getTime() + jitter * (window.end.getTime() - window.start.getTime());
  const latestMs = timeWithLifetimeLeft(life, LATEST_RENEWAL_PART).getTime();
  return new Date(Math.max(Math.min(chosenMs, latestMs), now.getTime()));
}

const FIRST_FETCH_DELAY_MS = 60_000;
const FIRST_FETCH_PART = 1 / 10;

/**
 * When to fetch renewal information of a new certificate for the first time: after a minute, since nothing depends on it before
 * the domain is live; earlier only for certificates that are renewed earlier.
 */
export function firstRenewalInfo(renewAt: Date, now: Date): Date {
  return new Date(
    now.getTime() + Math.min(FIRST_FETCH_DELAY_MS, (renewAt.getTime() - now.getTime()) * FIRST_FETCH_PART),
  );
}

/** When to fetch renewal information again: at the CA's retry time (RFC 9773 §4.3), else two to four times a day. */
export function nextRenewalInfo(retryAt: Date | null, jitter: number, now: Date): Date {
  return retryAt ?? new Date(now.getTime() + (6 + 6 * jitter) * HOUR_MS);
}

/** When to fetch renewal information after a failure: after about an hour, later if the CA requests it. */
export function nextRenewalInfoAfterFailure(retryAt: Date | null, jitter: number, now: Date): Date {
  const next = new Date(now.getTime() + (1 + jitter / 4) * HOUR_MS);
  return later(next, retryAt);
}

function lengthMs({ notBefore, notAfter }: ValidityPeriod): number {
  return notAfter.getTime() - notBefore.getTime();
}

/**
 * The identifier of a certificate for renewal information and for the order that replaces it (RFC 9773 §4.1): authority key
 * identifier and DER-encoded serial number, each base64url without padding, separated by a dot.
 * @param keyIdentifier hex, the `keyIdentifier` field of the authority key identifier extension
 * @param serialNumber hex, with or without the zero byte that DER puts before a high bit
 */
export function certificateIdentifier(keyIdentifier: string, serialNumber: string): string {
  return `${base64url(bytesOf(keyIdentifier))}.${base64url(derInteger(bytesOf(serialNumber)))}`;
}

/** X.690 §8.3.2: the fewest bytes, with the first bit as the sign. Zero keeps its last byte (`slice(-1)`). */
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
