import type {
  DnsAnswer,
  DnsFindings,
  DnsLookup,
  DnsQuestionType,
  DomainIssue,
  ExpectedDns,
  IssueCode,
} from '@pets/contracts';
import { evaluateDns } from '../src/dns/evaluate-dns.js';

/** Lookups of the examples of issues. */

export const targetHost = 'k3vq7m2xw5tdz4hcy6rb.cname.pets.example';
export const subdomain: ExpectedDns = {
  ...{ name: 'docs.example.com', isApex: false, targetHost, addresses: [], retiringAddresses: [] },
  ...{ wildcardTargetHost: null, ownershipHost: null, ownershipToken: null, isProofByAddress: false },
  ...{ wwwTargetHost: null, delegation: null },
};
export const apex: ExpectedDns = { ...subdomain, name: 'example.com', isApex: true };
const resolver = '192.0.2.53:53';
export const checkedAt = '2026-11-02T09:10:00.000Z';
export const absent: DnsAnswer = { kind: 'absent', ttl: 900, zone: 'example.com' };

type Asked = readonly [type: DnsQuestionType, name: string, answer: DnsAnswer | readonly string[]];

/** The lookups of one resolver. */
export function lookups(...asked: readonly Asked[]): DnsLookup[] {
  return asked.map(([type, name, answer]) => {
    const found =
      'kind' in answer ? answer : { kind: 'found' as const, records: answer.map((value) => ({ value, ttl: 60 })) };
    return { name, type, server: resolver, answer: found };
  });
}

/** The findings of a check with these lookups. */
export function findingsOf(seen: DnsLookup[]): DnsFindings {
  return { checkedAt, lookups: seen, nameServers: null, zone: null };
}

/** The issue of a code that a check finds. */
export function seenInDns(code: IssueCode, expected: ExpectedDns, seen: DnsLookup[]): DomainIssue {
  const verdict = evaluateDns(findingsOf(seen), expected);
  const issues = verdict.kind === 'matches' ? (verdict.notes ?? []) : verdict.issues;
  return first(issues.filter((issue) => issue.code === code));
}

/** @throws Error without any */
export function first(issues: readonly DomainIssue[]): DomainIssue {
  const [issue] = issues;
  if (issue === undefined) throw new Error('the example has no issue');
  return issue;
}
