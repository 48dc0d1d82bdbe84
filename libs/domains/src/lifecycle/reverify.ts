import type { DomainState } from '@pets/contracts';

export interface ReverifyFacts {
  readonly state: DomainState;
  readonly hasCertificate: boolean;
  readonly isAttemptInFlight: boolean;
  readonly hasLastAttemptFailed: boolean;
  readonly generationBeganAt: Date;
}

export type ReverifyVerdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string; readonly retryAfterSeconds: number | null };

/**
 * Whether a fresh certificate attempt may be asked for: verified, no certificate, and either the last attempt has
 * failed and none is in flight, or the generation has had its time.
 */
export function evaluateReverify(facts: ReverifyFacts, reverifyAfterSeconds: number, now: Date): ReverifyVerdict {
  if (facts.state !== 'verified')
    return refuse(`The domain is ${facts.state}; only a verified domain can be re-verified.`, null);
  if (facts.hasCertificate) return refuse('The domain already has a certificate.', null);
  const leftMs = facts.generationBeganAt.getTime() + reverifyAfterSeconds * 1000 - now.getTime();
  if (leftMs <= 0) return { allowed: true };
  if (facts.isAttemptInFlight) return refuse('A certificate request is in progress.', Math.ceil(leftMs / 1000));
  if (facts.hasLastAttemptFailed) return { allowed: true };
  return refuse('The certificate is still being issued.', Math.ceil(leftMs / 1000));
}

function refuse(reason: string, retryAfterSeconds: number | null): ReverifyVerdict {
  return { allowed: false, reason, retryAfterSeconds };
}
