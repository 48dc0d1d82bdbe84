import type { CaProblem, RevocationReason } from '@pets/contracts';
import { earlier, later, nextRetry } from '../lifecycle/schedules.js';

/** RFC 8555 §6.7. */
const ALREADY_REVOKED = 'urn:ietf:params:acme:error:alreadyRevoked';
const BAD_REASON = 'urn:ietf:params:acme:error:badRevocationReason';

export interface RevocationFacts {
  readonly reason: RevocationReason;
  /** Previous failures. */
  readonly failures: number;
  /** When the certificate expires; a revocation is then no longer needed. */
  readonly expiresAt: Date;
}

export type RevocationVerdict =
  { readonly kind: 'revoked' } | { readonly kind: 'retry'; readonly dueAt: Date; readonly reason: RevocationReason };

/**
 * Evaluates a CA's refusal to revoke. A certificate that is already revoked counts as revoked. If the CA does not accept the
 * reason, the next request has none. Every other failure is retried with backoff until the certificate expires.
 */
export function evaluateRefusedRevocation(
  { reason, failures, expiresAt }: RevocationFacts,
  { type, retryAt }: Pick<CaProblem, 'type' | 'retryAt'>,
  now: Date,
): RevocationVerdict {
  if (type === ALREADY_REVOKED) return { kind: 'revoked' };
  if (type === BAD_REASON && reason !== 'unspecified') return { kind: 'retry', dueAt: now, reason: 'unspecified' };
  const dueAt = earlier(later(nextRetry(failures + 1, now), new Date(retryAt ?? now)), expiresAt);
  return { kind: 'retry', dueAt, reason };
}
