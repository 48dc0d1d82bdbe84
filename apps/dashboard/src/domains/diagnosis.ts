import type { Domain, DomainIssue } from '@pets/contracts';

export interface Comparison {
  readonly expected: readonly string[];
  readonly seen: readonly string[];
}

/** The expected and the observed values of an issue, of CAA records by their names; null unless both are known. */
export function compareEvidence({ evidence }: Pick<DomainIssue, 'evidence'>): Comparison | null {
  const seen = textsOf(evidence['seen'] ?? evidence['records']);
  const expected = textsOf(evidence['expected'] ?? evidence['permitting']);
  return seen.length === 0 || expected.length === 0 ? null : { expected, seen };
}

function textsOf(value: DomainIssue['evidence'][string] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'object' ? value : [String(value)];
}

/** The troubleshooting topics that concern a single domain. */
export type Symptom = 'verification' | 'certificate' | 'privacy';

/** A browser may show a cached certificate error for about this long. */
const RECENTLY_LIVE_MS = 60 * 60_000;

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
