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
import { needsChange } from '../domains/domain-outcome.js';
import type { Report } from '../outcome/outcome.js';

/** The expected DNS of a name. */
export interface Expectation {
  readonly dns: ExpectedDns;
  /** The value of the ownership TXT record; null when none is required. */
  readonly token: string | null;
}

/** The DNS of a name as this machine sees it. */
export interface Observation {
  readonly name: string;
  readonly findings: DnsFindings;
  readonly caa: readonly DnsLookup[];
}

export interface Diagnosis extends Pick<Report, 'status' | 'reason'> {
  /** Null without an expectation. */
  readonly dns: DnsVerdict['kind'] | null;
  readonly ownership: OwnershipVerdict['kind'] | null;
  readonly caa: CaaVerdict['kind'];
  readonly issues: readonly DomainIssue[];
}

/** Evaluates the observed DNS by the rules of the service. */
export function diagnose(
  { name, findings, caa }: Observation,
  expected: Expectation | null,
  policy: CaaPolicy,
): Diagnosis {
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
  const refusal = issues.find(needsChange);
  if (refusal !== undefined) return { status: 'refused', reason: refusal.code };
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
