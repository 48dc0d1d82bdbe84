import type { Domain } from '@pets/contracts';
import { statusOf, type DomainStatus } from '@pets/domain-setup';

type Facts = Pick<Domain, 'state' | 'misconfigured' | 'suspensions' | 'issues'>;

export function deriveStatus(domain: Facts): DomainStatus {
  return statusOf(withSuspension(domain));
}

/** A domain with its suspension as a set-up link shows it. */
export function withSuspension<Listed extends Pick<Domain, 'suspensions'>>(domain: Listed) {
  return { ...domain, isSuspended: domain.suspensions.length > 0 };
}

/** Domains that need an action first; otherwise in the given order. */
export function problemsFirst<Listed extends Facts>(domains: readonly Listed[]): Listed[] {
  const needsAction = (domain: Listed) => deriveStatus(domain).needsAction;
  return [...domains.filter(needsAction), ...domains.filter((domain) => !needsAction(domain))];
}

/** The API allows a new attempt after this time without a certificate, unless an operator set another. */
const REVERIFY_AFTER_MS = 30 * 60_000;

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

/** The troubleshooting topics that concern a single domain. */
type Symptom = 'verification' | 'certificate' | 'privacy';

/** A browser may show a cached certificate error for about this long. */
const RECENTLY_LIVE_MS = 60 * 60_000;

/** The topics that may help with a domain in its state. */
export function chooseTroubleshooting(
  { state, issues, liveAt, misconfigured }: Pick<Domain, 'state' | 'issues' | 'liveAt' | 'misconfigured'>,
  now: Date,
): Symptom[] {
  switch (state) {
    case 'awaiting_dns':
      return issues.some(({ severity }) => severity === 'error') ? ['verification'] : [];
    case 'verified':
      return ['certificate', 'privacy'];
    case 'live': {
      const isRecent = liveAt !== null && now.getTime() - new Date(liveAt).getTime() < RECENTLY_LIVE_MS;
      return [...(misconfigured ? (['verification'] as const) : []), ...(isRecent ? (['privacy'] as const) : [])];
    }
    case 'removed':
      return [];
  }
}
