import type { Domain } from '@pets/contracts';

/** The rows of the troubleshooting table that belong to a single domain. */
export type Symptom = 'verification' | 'certificate' | 'privacy';

/** A browser may show what it remembers of the time before for about this long. */
const FRESHLY_LIVE_MS = 60 * 60_000;

/** Which symptoms the owner of a domain can have now. */
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
      const isFresh = liveAt !== null && now.getTime() - new Date(liveAt).getTime() < FRESHLY_LIVE_MS;
      return [...(misconfigured ? (['verification'] as const) : []), ...(isFresh ? (['privacy'] as const) : [])];
    }
    case 'removed':
      return [];
  }
}
