import type { Domain, DomainIssue } from '@pets/contracts';
import type { Tone } from '../components/notice.js';
import { shortStateStrings, stateStrings } from './domain-strings.js';

/** The one status of a domain that lists, pages and announcements show. */
export interface DomainStatus {
  readonly tone: Tone;
  /** The state, and the worst problem: "Live · DNS changed". */
  readonly text: string;
  /** Whether the owner has to do something. Such domains come first in lists. */
  readonly needsAction: boolean;
}

type Facts = Pick<Domain, 'state' | 'misconfigured' | 'suspensions' | 'issues'>;

const tones = { awaiting_dns: 'waiting', verified: 'progress', live: 'good', removed: 'neutral' } as const;

/** Whether a live domain no longer points here, even if only one check has found that yet. */
export function hasChangedDns({ state, misconfigured, issues }: Omit<Facts, 'suspensions'>): boolean {
  return state === 'live' && (misconfigured || issues.some(pointsElsewhere));
}

/** Whether an issue is that a name does not point here, which only a change at the DNS provider solves. */
export function pointsElsewhere({ area, blocking, resolvesAutomatically }: DomainIssue): boolean {
  return area === 'dns' && blocking && !resolvesAutomatically;
}

export function deriveStatus(domain: Facts): DomainStatus {
  const { state, suspensions } = domain;
  if (suspensions.length > 0)
    return { tone: 'critical', text: `${shortStateStrings[state]} · suspended`, needsAction: true };
  if (state === 'removed') return { tone: tones.removed, text: stateStrings.removed, needsAction: false };
  const problem = worstProblem(domain);
  if (problem === null) return { tone: tones[state], text: stateStrings[state], needsAction: false };
  return { tone: problem.tone, text: `${shortStateStrings[state]} · ${problem.text}`, needsAction: true };
}

function worstProblem(domain: Facts): { readonly tone: Tone; readonly text: string } | null {
  const expired = domain.issues.find(({ code }) => code === 'certificate_expired');
  if (expired !== undefined) return { tone: 'critical', text: expired.title };
  if (hasChangedDns(domain)) return { tone: 'warning', text: 'DNS changed' };
  const problems = domain.issues.filter((issue) => needsOwner(issue) && !isAwaited(issue, domain.issues));
  const worst = problems.sort((a, b) => rank(a) - rank(b))[0];
  return worst === undefined ? null : { tone: 'warning', text: worst.title };
}

/** Whether an issue changes the status: progress does not, and neither does a problem that time solves. */
function needsOwner({ severity, resolvesAutomatically }: DomainIssue): boolean {
  return severity !== 'info' && !resolvesAutomatically;
}

const missingRecords: readonly DomainIssue['code'][] = ['no_record', 'ownership_txt_missing', 'delegation_missing'];

/** Whether an issue is that the owner has created nothing yet, which is no problem. */
export function isAwaited({ code, evidence }: DomainIssue, issues: readonly DomainIssue[]): boolean {
  const isMissing = missingRecords.includes(code) && evidence['seen'] === undefined && evidence['length'] === undefined;
  return isMissing && issues.some((each) => each.code === 'no_record');
}

function rank({ severity }: DomainIssue): number {
  return severity === 'error' ? 0 : 1;
}

/** Domains that need an action first; otherwise in the given order. */
export function problemsFirst<Listed extends Facts>(domains: readonly Listed[]): Listed[] {
  const needsAction = (domain: Listed) => deriveStatus(domain).needsAction;
  return [...domains.filter(needsAction), ...domains.filter((domain) => !needsAction(domain))];
}

/** A requested check that has no result after this time is not waited for. */
const MAX_CHECK_MS = 30_000;
/** The API allows a new attempt after this time without a certificate, unless an operator set another. */
const REVERIFY_AFTER_MS = 30 * 60_000;

/**
 * Whether a requested DNS check has no result yet.
 * @param ageMs since the domain was read: the clock of the browser may differ from that of the API
 */
export function isChecking(
  { requestedAt, checkedAt }: Pick<Domain['dns'], 'requestedAt' | 'checkedAt'>,
  ageMs: number,
): boolean {
  if (requestedAt === null || ageMs > MAX_CHECK_MS) return false;
  return checkedAt === null || new Date(checkedAt) < new Date(requestedAt);
}

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
