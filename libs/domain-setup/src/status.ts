import type { DomainIssue, SetupDomain } from '@pets/contracts';
import { setupTexts, type SetupTexts } from './texts.js';

/** Meaning of a colour. Words always say it too. */
export type Tone = 'good' | 'progress' | 'waiting' | 'warning' | 'critical' | 'neutral';

/** The one status of a domain that lists, pages and announcements show. */
export interface DomainStatus {
  readonly tone: Tone;
  /** The state, and the worst problem: "Live · DNS changed". */
  readonly text: string;
  /** Whether the owner has to do something. Such domains come first in lists. */
  readonly needsAction: boolean;
}

/** Facts on which the status of a domain depends. */
export type StatusFacts = Pick<SetupDomain, 'state' | 'misconfigured' | 'isSuspended' | 'issues'>;

const tones = { awaiting_dns: 'waiting', verified: 'progress', live: 'good', removed: 'neutral' } as const;

/** Whether a live domain no longer points here, even if only one check has found that yet. */
export function hasChangedDns({ state, misconfigured, issues }: Omit<StatusFacts, 'isSuspended'>): boolean {
  return state === 'live' && (misconfigured || issues.some(pointsElsewhere));
}

/** Whether an issue is that a name does not point here, which only a change at the DNS provider solves. */
export function pointsElsewhere({ area, blocking, resolvesAutomatically }: DomainIssue): boolean {
  return area === 'dns' && blocking && !resolvesAutomatically;
}

export function statusOf(domain: StatusFacts, texts: SetupTexts = setupTexts): DomainStatus {
  const { state } = domain;
  const withProblem = (problem: string) => `${texts.shortStates[state]} · ${problem}`;
  if (domain.isSuspended) return { tone: 'critical', text: withProblem(texts.suspended), needsAction: true };
  if (state === 'removed') return { tone: tones.removed, text: texts.states.removed, needsAction: false };
  const problem = worstProblem(domain, texts);
  if (problem === null) return { tone: tones[state], text: texts.states[state], needsAction: false };
  return { tone: problem.tone, text: withProblem(problem.text), needsAction: true };
}

function worstProblem(domain: StatusFacts, texts: SetupTexts): { readonly tone: Tone; readonly text: string } | null {
  const expired = domain.issues.find(({ code }) => code === 'certificate_expired');
  if (expired !== undefined) return { tone: 'critical', text: expired.title };
  if (hasChangedDns(domain)) return { tone: 'warning', text: texts.dnsChanged };
  const problems = domain.issues.filter((issue) => needsOwner(issue) && !isAwaited(issue, domain.issues));
  const worst = problems.sort((a, b) => severityRank(a) - severityRank(b))[0];
  return worst === undefined ? null : { tone: 'warning', text: worst.title };
}

/** Whether an issue changes the status: progress does not, and neither does a problem that time solves. */
function needsOwner({ severity, resolvesAutomatically }: DomainIssue): boolean {
  return severity !== 'info' && !resolvesAutomatically;
}

const missingRecords: readonly DomainIssue['code'][] = ['no_record', 'ownership_txt_missing', 'delegation_missing'];

/** Whether an issue is that the owner has created nothing yet, which is no problem; beside records of another place no further one. */
export function isAwaited({ code, evidence }: DomainIssue, issues: readonly DomainIssue[]): boolean {
  const isWrong = ['seen', 'length', 'enteredAt'].some((key) => evidence[key] !== undefined);
  const isMissing = missingRecords.includes(code) && !isWrong;
  const isBefore = (each: DomainIssue) =>
    each.code === 'no_record' || (code === 'ownership_txt_missing' && pointsElsewhere(each));
  return isMissing && issues.some(isBefore);
}

/** Whether a page says what an issue is: suspensions and records that are only awaited are shown in other ways. */
export function isCause(issue: DomainIssue, issues: readonly DomainIssue[]): boolean {
  return issue.code !== 'suspended' && !isAwaited(issue, issues);
}

function severityRank({ severity }: DomainIssue): number {
  return severity === 'error' ? 0 : 1;
}

/** A requested check that has no result after this time is not waited for. */
const MAX_CHECK_MS = 30_000;

/**
 * Whether a requested DNS check has no result yet.
 * @param ageMs since the domain was read: the clock of the browser may differ from that of the API
 */
export function isChecking(
  { requestedAt, checkedAt }: Pick<SetupDomain['dns'], 'requestedAt' | 'checkedAt'>,
  ageMs: number,
): boolean {
  if (requestedAt === null || ageMs > MAX_CHECK_MS) return false;
  return checkedAt === null || new Date(checkedAt) < new Date(requestedAt);
}

const order = ['awaiting_dns', 'verified', 'live', 'removed'] as const satisfies readonly SetupDomain['state'][];

/** The slower one of a domain and its counterpart: a page shows its steps. */
export function slowerOf<Named extends Pick<SetupDomain, 'state'>>(domain: Named, twin: Named | null): Named {
  return twin !== null && order.indexOf(twin.state) < order.indexOf(domain.state) ? twin : domain;
}
