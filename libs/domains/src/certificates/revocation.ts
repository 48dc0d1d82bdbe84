import type { CaProblem, RevocationReason } from '@pets/contracts';
import { earlier, later, nextRetry } from '../lifecycle/schedules.js';

/** RFC 8555 §6.7. */
const ALREADY_REVOKED = 'urn:ietf:params:acme:error:alreadyRevoked';
const BAD_REASON = 'urn:ietf:params:acme:error:badRevocationReason';

export interface RevocationFacts {
  readonly reason: RevocationReason;
  /** How often it has failed before. */
  readonly failures: number;
  /** When the certificate expires, and nobody trusts it any more. */
  readonly expiresAt: Date;
}

export type RevocationVerdict =
  { readonly kind: 'revoked' } | { readonly kind: 'retry'; readonly dueAt: Date; readonly reason: RevocationReason };

/**
 * What a CA's refusal means. A certificate that was revoked before is what was wanted, whatever the reason then. A CA that
 * does not take the reason is asked again without one. All else is tried again, less and less often, until the certificate
 * expires: a CA that has lost the account or is away today may do it tomorrow.
 */
export function evaluateRefusedRevocation(
  { reason, failures, expiresAt }: RevocationFacts,
  { type, retryAt }: Pick<CaProblem, 'type' | 'retryAt'>,
  now: Date,
): RevocationVerdict {
  if (type === ALREADY_REVOKED) return { kind: 'revoked' };
  if (type === BAD_REASON && reason !== 'unspecified') return { kind: 'retry', dueAt: now, reason: 'unspecified' };
  const wanted = retryAt === null ? null : new Date(retryAt);
  const dueAt = earlier(later(nextRetry(failures + 1, now), wanted), expiresAt);
  return { kind: 'retry', dueAt, reason };
}
