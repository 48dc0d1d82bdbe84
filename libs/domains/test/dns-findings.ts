import type { DnsAnswer, DnsFindings, DnsQuestionType, ExpectedDns } from '@pets/contracts';
import type { DnsVerdict } from '../src/dns/evaluate-dns.js';

export const absent: DnsAnswer = { kind: 'absent' };
export const failed: DnsAnswer = { kind: 'failed', error: 'ESERVFAIL' };
export const found = (...values: string[]): DnsAnswer => ({
  kind: 'found',
  records: values.map((value) => ({ value, ttl: 60 })),
});

export type Asked = readonly [name: string, type: DnsQuestionType, answer: DnsAnswer];
export const onServer = (server: string, asked: readonly Asked[]) =>
  asked.map(([name, type, answer]) => ({ name, type, server, answer }));
export const findings = (...lookups: DnsFindings['lookups'][]): DnsFindings => ({
  checkedAt: '2026-01-01T00:00:00Z',
  lookups: lookups.flat(),
  nameServers: null,
  zone: null,
});

export const target = 't0k.cname.pets.example';
export const sub: ExpectedDns = {
  ...{ name: 'docs.example.com', isApex: false, targetHost: target, addresses: [], retiringAddresses: [] },
  ...{ wildcardTargetHost: null, ownershipHost: null, ownershipToken: null, isProofByAddress: false },
  ...{ wwwTargetHost: null, delegation: null },
};
export const apex: ExpectedDns = { ...sub, name: 'example.com', isApex: true };
export const ours: Asked[] = [
  [target, 'A', found('198.51.100.7')],
  [target, 'AAAA', found('2001:db8::7')],
];
export const nothing: Asked[] = [
  [sub.name, 'CNAME', absent],
  [sub.name, 'A', absent],
  [sub.name, 'AAAA', absent],
];

export const summary = (verdict: DnsVerdict) =>
  verdict.kind === 'matches' ? 'matches' : [verdict.kind, ...verdict.issues.map(({ code }) => code)].join(' ');

/** The same answers from one of the zone's own servers. */
export const ofZone = (server: string, asked: readonly Asked[]) =>
  onServer(server, asked).map((lookup) => ({ ...lookup, isAuthoritative: true }));
