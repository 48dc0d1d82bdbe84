import type { ProfileName } from './profiles.js';

/** How the CA departs from its plain self, so that a client meets what it would meet elsewhere. */
export type CaBehaviour = {
  /** Seconds from issuance to the end, in place of a profile's own: renewals in moments. */
  readonly validitySeconds?: Partial<Readonly<Record<ProfileName, number>>>;
  /** Finalizing answers `processing`, and the certificate comes this much later. Without it the answer is the valid order. */
  readonly finalizeDelayMs?: number;
  /** `Retry-After` of orders, authorizations and challenges that are being worked on; without it there is none. */
  readonly retryAfterSeconds?: number;
  /** `Retry-After` of renewal information. */
  readonly renewalInfoRetryAfterSeconds?: number;
  /** Signed requests taken a second; more get 429 with `Retry-After` (RFC 8555 §6.6). */
  readonly requestsPerSecond?: number;
  /** External account keys, base64url by id: new accounts must be bound to one (RFC 8555 §7.3.4). */
  readonly externalAccountKeys?: Readonly<Record<string, string>>;
  /** Issues without looking at CAA records, as no real CA may. */
  readonly ignoresCaa?: boolean;
};
