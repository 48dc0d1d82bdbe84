import type { Domain, DomainIssue, IssueCode } from '@pets/contracts';
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

/** Issues in few words. Codes that are not here do not change the status. */
const problems: Partial<Record<IssueCode, string>> = {
  conflicting_a: 'conflicting A record',
  conflicting_aaaa: 'conflicting AAAA record',
  conflicting_records: 'conflicting records',
  cname_mismatch: 'wrong CNAME value',
  proxied_by_cdn: 'proxy must be off',
  apex_cname: 'CNAME at the apex',
  apex_not_pointing_here: 'wrong address',
  entered_with_zone: 'wrong record name',
  ownership_txt_missing: 'TXT record missing',
  ownership_txt_of_others: 'TXT value of others',
  claimed_elsewhere: 'in use elsewhere',
  dnssec_broken: 'DNSSEC broken',
  caa_forbids: 'blocked by CAA',
  caa_too_large: 'CAA not readable',
  caa_unanswered: 'CAA not answered',
  http_unreachable: 'not reachable',
  ca_refused: 'certificate refused',
  certificate_overdue: 'certificate overdue',
  renewal_at_risk: 'renewal at risk',
  renewal_stopped: 'renewal stopped',
  delegation_shadowed: 'challenge record hidden',
  delegation_lost: 'renewal at risk',
  certificate_expiring: 'certificate expires soon',
  certificate_expired: 'certificate expired',
  plan_ended: 'plan ended',
};

const dnsCodes: ReadonlySet<IssueCode> = new Set([
  'no_record',
  'entered_with_zone',
  'cname_mismatch',
  'conflicting_a',
  'conflicting_aaaa',
  'conflicting_records',
  'proxied_by_cdn',
  'apex_cname',
  'apex_not_pointing_here',
  'dns_lost',
] as const);

/** Whether a live domain no longer points here, even if only one check has found that yet. */
export function hasChangedDns({ state, misconfigured, issues }: Omit<Facts, 'suspensions'>): boolean {
  return state === 'live' && (misconfigured || issues.some(({ code }) => dnsCodes.has(code)));
}

/** Whether the page of a domain starts with its records: nothing else that may be wrong is changed at the DNS provider. */
export function recordsComeFirst(domain: Omit<Facts, 'suspensions'>): boolean {
  return domain.state === 'awaiting_dns' || hasChangedDns(domain);
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
  const expired = domain.issues.some(({ code }) => code === 'certificate_expired');
  if (expired) return { tone: 'critical', text: problems.certificate_expired ?? '' };
  if (hasChangedDns(domain)) return { tone: 'warning', text: 'DNS changed' };
  const worst = domain.issues
    .filter(({ code, severity }) => severity !== 'info' && problems[code] !== undefined)
    .sort((a, b) => rank(a) - rank(b))[0];
  return worst === undefined ? null : { tone: 'warning', text: problems[worst.code] ?? '' };
}

function rank({ severity }: DomainIssue): number {
  return severity === 'error' ? 0 : 1;
}

/** Domains that need an action first; otherwise in the given order. */
export function problemsFirst<Listed extends Facts>(domains: readonly Listed[]): Listed[] {
  const needsAction = (domain: Listed) => deriveStatus(domain).needsAction;
  return [...domains.filter(needsAction), ...domains.filter((domain) => !needsAction(domain))];
}
