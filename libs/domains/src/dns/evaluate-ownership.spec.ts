import { describe, expect, it } from '@jest/globals';
import type { DnsAnswer } from '@pets/contracts';
import { unprovenIssues } from '../lifecycle/evaluate-claim.js';
import { findings } from '../../test/dns-findings.js';
import { evaluateOwnership } from './evaluate-ownership.js';

const host = '_platform-challenge.docs.example.com';
const found = (...values: string[]): DnsAnswer => ({
  kind: 'found',
  records: values.map((value) => ({ value, ttl: 60 })),
});
const failed: DnsAnswer = { kind: 'failed', error: 'ETIMEOUT' };
const absent: DnsAnswer = { kind: 'absent' };
const sibling = 'wildcard-probe-0123456789abcdef.docs.example.com';
/** Answers of a server about the record, and about a sibling that does not exist. */
const at = (server: string, answer: DnsAnswer, isAuthoritative = false) =>
  [host, sibling].map((name) => ({
    ...{ name, type: 'TXT' as const, server, isAuthoritative },
    answer: name === host ? answer : absent,
  }));

it.each<[string, DnsAnswer[], string]>([
  ['the token', [found('t1')], 'proven'],
  ['the token among others', [found('v=spf1 -all', 't1')], 'proven'],
  ['another token', [found('t2')], 'refuted'],
  ['a token that only begins right', [found('t11')], 'refuted'],
  ['no record', [{ kind: 'absent' }], 'refuted'],
  ['a failed lookup is no evidence', [failed], 'unknown'],
  ['one server failed, the other has it', [failed, found('t1')], 'proven'],
  ['one server does not have it yet', [found('t1'), { kind: 'absent' }], 'refuted'],
  ['not looked up', [], 'unknown'],
])('ownership: %s', (_name, answers, kind) => {
  const lookups = answers.flatMap((answer, i) => at(String(i), answer));
  expect(evaluateOwnership(findings(lookups), host, 't1').kind).toBe(kind);
});

it.each<[string, DnsAnswer[], string]>([
  ['every server failed', [failed, failed], 'ETIMEOUT'],
  ['nobody asked', [], 'the TXT record was not looked up'],
])('ownership is unknown: %s', (_name, answers, error) => {
  const lookups = answers.flatMap((answer, i) => at(String(i), answer));
  expect(evaluateOwnership(findings(lookups), host, 't1')).toEqual({ kind: 'unknown', error });
});

it('is proven by nothing but a TXT record at its own place', () => {
  const lookups = [
    { name: host, type: 'TXT' as const, server: '1', answer: absent },
    { name: host, type: 'A' as const, server: '1', answer: found('t1') },
    { name: 'docs.example.com', type: 'TXT' as const, server: '1', answer: found('t1') },
  ];
  expect(evaluateOwnership(findings(lookups), host, 't1')).toEqual({ kind: 'refuted', seen: [] });
  const beside = lookups.map((lookup, i) =>
    i === 0 ? { ...lookup, answer: found('t1') } : { ...lookup, answer: found('x') },
  );
  const besides = [...beside, { name: sibling, type: 'TXT' as const, server: '1', answer: absent }];
  expect(evaluateOwnership(findings(besides), host, 't1')).toEqual({ kind: 'proven' });
});

it('shows the values found instead of the token, each once', () => {
  const answers = [found('t2', 'v=spf1 -all'), found('t1', 't2')];
  const lookups = answers.flatMap((answer, i) => at(String(i), answer));
  const verdict = evaluateOwnership(findings(lookups), host, 't1');
  expect(verdict).toEqual({ kind: 'refuted', seen: ['t2', 'v=spf1 -all'] });
});

it.each([
  ['the token', found('t1'), { enteredAt: `${host}.example.com` }],
  ['another value', found('t2'), {}],
])('names the record with the zone twice if it has %s', (_case, answer, entered) => {
  const doubled = { name: `${host}.example.com`, type: 'TXT' as const, server: '1', answer };
  const verdict = evaluateOwnership(findings([...at('1', absent), doubled]), host, 't1');
  expect(verdict).toEqual({ kind: 'refuted', seen: [], ...entered });
});

it('shows sixteen values of many', () => {
  const values = Array.from({ length: 40 }, (_value, i) => `v${i}`);
  expect(evaluateOwnership(findings(at('1', found(...values))), host, 't1')).toHaveProperty(
    'seen',
    values.slice(0, 16),
  );
});

it.each([
  ['the zone’s own server has it, the resolver not yet', found('t1'), { kind: 'absent' as const }, 'proven'],
  ['the zone’s own server has it no more', { kind: 'absent' as const }, found('t1'), 'refuted'],
  ['the zone’s own server fails, the resolver has it', failed, found('t1'), 'proven'],
])('ownership: %s', (_name, own, resolved, kind) => {
  const lookups = [...at('n', own, true), ...at('r', resolved)];
  expect(evaluateOwnership(findings(lookups), host, 't1').kind).toBe(kind);
});

describe('an answer that is not of the name itself proves nothing', () => {
  const one = (name: string, answer: DnsAnswer, alias?: string, type: 'TXT' | 'A' = 'TXT') => ({
    name,
    type,
    server: '1',
    answer,
    isAuthoritative: true,
    ...(alias !== undefined && { alias }),
  });
  const evaluate = (...lookups: ReturnType<typeof one>[]) => evaluateOwnership(findings(lookups), host, 't1');

  it.each([
    ['over a CNAME', [one(host, found('t1'), 'x.net'), one(sibling, absent)], { alias: 'x.net' }],
    ['over a CNAME that leads nowhere', [one(host, absent, 'x.net'), one(sibling, absent)], { alias: 'x.net' }],
    // A server of the zone cannot answer for the target, but it shows the CNAME.
    ['over a CNAME out of the zone', [one(host, failed, 'x.net'), one(sibling, absent)], { alias: 'x.net' }],
    ['from a wildcard', [one(host, found('t1')), one(sibling, found('t1'))], { wildcard: '*.docs.example.com' }],
    [
      'over a wildcard CNAME',
      [one(host, found('t1'), 'x.net'), one(sibling, found('t1'), 'x.net')],
      { alias: 'x.net', wildcard: '*.docs.example.com' },
    ],
    [
      'over a wildcard CNAME without a TXT record',
      [one(host, absent, 'x.net'), one(sibling, absent, 'x.net')],
      { alias: 'x.net', wildcard: '*.docs.example.com' },
    ],
    [
      'over the wildcard that answers for the name itself',
      [
        one(host, found('t1')),
        one(sibling, found('t1')),
        one('docs.example.com', found('198.51.100.7'), undefined, 'A'),
        one('wildcard-probe-fedcba9876543210.example.com', found('198.51.100.7'), undefined, 'A'),
      ],
      { wildcard: '*.example.com' },
    ],
  ])('%s', (_case, lookups, detour) => {
    const verdict = evaluate(...lookups);
    expect(verdict).toEqual({ kind: 'refuted', seen: [], ...detour });
    const [issue] = unprovenIssues({ verdict, host, token: 't1' });
    for (const record of Object.values(detour)) expect(issue?.message).toContain(record);
  });

  const address = '198.51.100.7';
  const [base, above] = ['docs.example.com', 'wildcard-probe-fedcba9876543210.example.com'];
  const other = '203.0.113.1';
  it.each<[string, ReturnType<typeof one>[], string]>([
    [
      'the name shares one of its values',
      [one(base, found(other, address), undefined, 'A'), one(above, found(address), undefined, 'A')],
      '*.example.com',
    ],
    [
      'the name has another value',
      [one(base, found(other), undefined, 'A'), one(above, found(address), undefined, 'A')],
      '*.docs.example.com',
    ],
    [
      'the name has no value',
      [one(base, absent, undefined, 'A'), one(above, found(address), undefined, 'A')],
      '*.docs.example.com',
    ],
    [
      'the wildcard above has none',
      [one(base, found(address), undefined, 'A'), one(above, absent, undefined, 'A')],
      '*.docs.example.com',
    ],
    [
      'the value has another type',
      [one(base, found(address)), one(above, found(address), undefined, 'A')],
      '*.docs.example.com',
    ],
    [
      'another name shares the value',
      [one('www.example.com', found(address), undefined, 'A'), one(above, found(address), undefined, 'A')],
      '*.docs.example.com',
    ],
    [
      'a name beside it shares the value',
      [one(base, found(address), undefined, 'A'), one('www.example.com', found(address), undefined, 'A')],
      '*.docs.example.com',
    ],
    [
      'a wildcard elsewhere shares the value',
      [
        one(base, found(address), undefined, 'A'),
        one('wildcard-probe-fedcba9876543210.example.net', found(address), undefined, 'A'),
      ],
      '*.docs.example.com',
    ],
  ])('from a wildcard, which is above the name if that shares its values: %s', (_case, lookups, wildcard) => {
    const verdict = evaluate(one(host, found('t1')), one(sibling, found('t1')), ...lookups);
    expect(verdict).toEqual({ kind: 'refuted', seen: [], wildcard });
  });

  it('is proven beside other records of siblings', () => {
    const lookups = [
      one(sibling, found('t1'), undefined, 'A'),
      one('wildcard-probe-fedcba9876543210.example.com', found('t1')),
      one(host, found('t1')),
      one(sibling, absent),
    ];
    expect(evaluate(...lookups)).toEqual({ kind: 'proven' });
  });

  it('is refuted where a wildcard answers at one server', () => {
    const atTwo = [found('t1'), absent].map((answer) => ({
      ...one(sibling, answer),
      server: answer === absent ? '1' : '2',
    }));
    const lookups = [one(host, found('t1')), { ...one(host, found('t1')), server: '2' }, ...atTwo.toReversed()];
    expect(evaluate(...lookups)).toEqual({ kind: 'refuted', seen: [], wildcard: '*.docs.example.com' });
  });

  it('names the CNAME that one of the servers shows', () => {
    const lookups = [one(host, absent), { ...one(host, absent, 'x.net'), server: '2' }, one(sibling, absent)];
    expect(evaluate(...lookups)).toEqual({ kind: 'refuted', seen: [], alias: 'x.net' });
  });

  it('is proven beside another wildcard', () => {
    expect(evaluate(one(host, found('t1')), one(sibling, found('v=spf1 -all')))).toEqual({ kind: 'proven' });
  });

  it('is unknown while it is unknown whether a wildcard answered', () => {
    const error = 'no sibling of the TXT record was looked up';
    expect(evaluate(one(host, found('t1')))).toEqual({ kind: 'unknown', error });
    expect(evaluate(one(host, found('t1')), one(sibling, failed))).toEqual({ kind: 'unknown', error: 'ETIMEOUT' });
  });

  it('may stand beside the proofs of other organizations', () => {
    expect(evaluate(one(host, found('t2', 't1')), one(sibling, absent))).toEqual({ kind: 'proven' });
  });
});
