import type { CaaVerdict, DnsFindings, DnsLookup, DomainIssue, ExpectedDns } from '@pets/contracts';
import {
  describeCaa,
  evaluateCaa,
  evaluateDns,
  evaluateOwnership,
  unprovenIssues,
  type CaaPolicy,
  type DnsVerdict,
  type OwnershipVerdict,
} from '@pets/domains';
import { isObstacle } from '../domains/evaluate-domain.js';
import type { Report } from '../outcome/outcome.js';

/** What a name should show, as far as it is known here. */
export interface Expectation {
  readonly dns: ExpectedDns;
  /** The value of the ownership TXT; null where none is wanted. */
  readonly token: string | null;
}

/** What was seen from here. */
export interface Seen {
  readonly name: string;
  readonly findings: DnsFindings;
  readonly caa: readonly DnsLookup[];
}

export interface Diagnosis extends Pick<Report, 'status' | 'reason'> {
  /** Null where nothing is known to be expected. */
  readonly dns: DnsVerdict['kind'] | null;
  readonly ownership: OwnershipVerdict['kind'] | null;
  readonly caa: CaaVerdict['kind'];
  readonly issues: readonly DomainIssue[];
}

/** Judges what was seen as the service would, with its own rules. */
export function diagnose({ name, findings, caa }: Seen, expected: Expectation | null, policy: CaaPolicy): Diagnosis {
  const dns = expected === null ? null : evaluateDns(findings, expected.dns);
  const proof = expected === null ? null : evaluateProof(findings, expected);
  const caaVerdict = evaluateCaa(caa, name, policy);
  const issues = [
    ...(dns === null ? [] : issuesOf(dns)),
    ...(proof?.issues ?? []),
    ...(caaVerdict.kind === 'permits' ? [] : [describeCaa(caaVerdict)]),
  ];
  const verdicts = { dns: dns?.kind ?? null, ownership: proof?.kind ?? null, caa: caaVerdict.kind };
  return { ...verdicts, issues, ...concludeFrom(verdicts, issues) };
}

function concludeFrom(
  { dns, ownership, caa }: Pick<Diagnosis, 'dns' | 'ownership' | 'caa'>,
  issues: readonly DomainIssue[],
): Pick<Report, 'status' | 'reason'> {
  const obstacle = issues.find(isObstacle);
  if (obstacle !== undefined) return { status: 'refused', reason: obstacle.code };
  const [first] = issues;
  if (dns === 'mismatch' || ownership === 'refuted') return { status: 'not_yet', reason: first?.code ?? 'no_record' };
  if ([dns, ownership, caa].includes('unknown')) return { status: 'unavailable', reason: 'resolver_failed' };
  return dns === null ? { status: 'done', reason: 'nothing_expected' } : { status: 'done', reason: 'dns_matches' };
}

function issuesOf(verdict: DnsVerdict): readonly DomainIssue[] {
  return verdict.kind === 'matches' ? (verdict.notes ?? []) : verdict.issues;
}

function evaluateProof(
  findings: DnsFindings,
  { dns: { ownershipHost: host }, token }: Expectation,
): { kind: OwnershipVerdict['kind']; issues: readonly DomainIssue[] } | null {
  if (host === null || token === null) return null;
  const verdict = evaluateOwnership(findings, host, token);
  return { kind: verdict.kind, issues: unprovenIssues({ verdict, host, token }) };
}
