import { describe, expect, it } from '@jest/globals';
import type { DnsAnswer, DnsLookup } from '@pets/contracts';
import { absent, failed, findings, found, ofZone, onServer, type Asked } from '../../test/dns-findings.js';
import {
  delegationIssue,
  evaluateDelegation,
  requiredDelegationIssues,
  type DelegationVerdict,
} from './evaluate-delegation.js';

const name = 'docs.example.com';
const host = `_acme-challenge.${name}`;
const target = '0a1b2c3d4e5f.acme.pets.example';
const expected = { host, target };
const cname = (...values: string[]): Asked[] => [[host, 'CNAME', found(...values)]];
const missing: Asked[] = [[host, 'CNAME', absent]];
const broken: Asked[] = [[host, 'CNAME', failed]];
const [one, other, resolver] = ['192.0.2.1:53', '192.0.2.2:53', '192.0.2.53:53'];

/** The answer of a resolver that follows the CNAMEs. */
const ending = (alias: string) => onServer(resolver, [[host, 'TXT', absent]]).map((lookup) => ({ ...lookup, alias }));

describe('the delegation of challenges', () => {
  it.each<[string, DelegationVerdict['kind'], ReturnType<typeof onServer>[]]>([
    ['points to our target', 'delegated', [onServer(resolver, cname(target))]],
    ['points to our target, written otherwise', 'delegated', [onServer(resolver, cname(`${target.toUpperCase()}.`))]],
    ['is at all name servers', 'delegated', [ofZone(one, cname(target)), ofZone(other, cname(target))]],
    ['is at the name servers, not in a cache', 'delegated', [ofZone(one, cname(target)), onServer(resolver, missing)]],
    ['is at one name server, and another fails', 'delegated', [ofZone(one, cname(target)), ofZone(other, broken)]],
    ['is at one name server only', 'partial', [ofZone(one, cname(target)), ofZone(other, missing)]],
    ['is in a cache only', 'absent', [ofZone(one, missing), onServer(resolver, cname(target))]],
    [
      'is at a resolver, where the name servers fail',
      'delegated',
      [ofZone(one, broken), onServer(resolver, cname(target))],
    ],
    ['does not exist', 'absent', [onServer(resolver, missing)]],
    ['points to another place', 'elsewhere', [onServer(resolver, cname('docs.acme.example.net'))]],
    ['has several values', 'elsewhere', [onServer(resolver, cname(target, 'docs.acme.example.net'))]],
    ['is a chain', 'elsewhere', [onServer(resolver, cname('docs.acme.example.net')), ending(target)]],
    ['cannot be looked up', 'unknown', [onServer(resolver, broken), ofZone(one, broken)]],
    ['was not looked up', 'unknown', []],
  ])('%s: %s', (_title, kind, lookups) => {
    expect(evaluateDelegation(findings(...lookups), expected).kind).toBe(kind);
  });

  it('is that of the host alone', () => {
    const others: Asked[] = [
      ['www.example.com', 'CNAME', found('x.example.net')],
      ['www.example.com', 'TXT', found('x')],
    ];
    expect(evaluateDelegation(findings(ofZone(one, [...cname(target), ...others])), expected).kind).toBe('delegated');
  });

  it('names where the chain ends, by the answer to the question for TXT', () => {
    const chain = cname('docs.acme.example.net');
    const ofOthers = [
      ...onServer(resolver, [[host, 'A', absent]]).map((lookup) => ({ ...lookup, alias: 'a.example.net' })),
      ...onServer(resolver, [[name, 'TXT', absent]]).map((lookup) => ({ ...lookup, alias: 'b.example.net' })),
      ...onServer('192.0.2.54:53', [[host, 'TXT', absent]]),
    ];
    const verdictOf = (...lookups: DnsLookup[][]) =>
      evaluateDelegation(findings(onServer(resolver, chain), ofOthers, ...lookups), expected);
    const elsewhere = { kind: 'elsewhere', servers: [resolver] };
    expect(verdictOf()).toEqual({ ...elsewhere, seen: ['docs.acme.example.net'], endsHere: false });
    expect(verdictOf(ending(`${target}.`))).toEqual({
      ...elsewhere,
      seen: ['docs.acme.example.net', target],
      endsHere: true,
    });
    expect(verdictOf(ending('c.example.net'))).toEqual({
      ...elsewhere,
      seen: ['docs.acme.example.net', 'c.example.net'],
      endsHere: false,
    });
  });

  it('shows eight values of many', () => {
    const values = Array.from({ length: 20 }, (_value, i) => `h${i}.example.net`);
    const elsewhere = evaluateDelegation(findings(onServer(resolver, cname(...values))), expected);
    expect(elsewhere).toHaveProperty('seen', values.slice(0, 8));
    const shadowed = findings(ofZone(one, [...cname(target), [host, 'TXT', found(...values)]]));
    expect(evaluateDelegation(shadowed, expected)).toHaveProperty('seen', values.slice(0, 8));
  });

  it('does not exist by way of a DNAME, which another name controls', () => {
    const lookups = onServer(resolver, cname(target)).map((lookup) => ({ ...lookup, alias: 'x.example.net' }));
    expect(evaluateDelegation(findings(lookups), expected).kind).toBe('elsewhere');
  });
});

describe('a record that hides the delegation', () => {
  const txt = (answer: DnsAnswer, alias?: string) =>
    ofZone(other, [[host, 'TXT', answer]]).map((lookup) => ({ ...lookup, ...(alias !== undefined && { alias }) }));
  const evaluate = (...lookups: DnsLookup[][]) =>
    evaluateDelegation(findings(ofZone(one, cname(target)), ofZone(other, cname(target)), ...lookups), expected);

  it('is a TXT record beside the CNAME, with its value', () => {
    const verdict = evaluate(txt(found('ca3-1234', 'x')));
    expect(verdict).toEqual({ kind: 'shadowed', seen: ['ca3-1234', 'x'], servers: [other] });
    for (const wildcard of [false, true]) {
      const issues = wildcard
        ? requiredDelegationIssues(verdict, expected, `*.${name}`)
        : [delegationIssue(verdict, expected, name)];
      expect(issues).toEqual([expect.objectContaining({ code: 'delegation_shadowed' })]);
      expect(issues[0]?.message).toContain('ca3-1234');
    }
  });

  it('is a name server that answers without the CNAME, as one that flattens', () => {
    const verdict = evaluate(txt(absent));
    expect(verdict).toMatchObject({ kind: 'shadowed', seen: [] });
    expect(delegationIssue(verdict, expected, name)?.evidence).toEqual({
      ...{ name, host, expected: target },
      servers: [other],
    });
  });

  it('is at the DNS server of a development network, which shows the CNAME as a resolver', () => {
    const lookups = [onServer(other, cname(target)), txt(found('x'))];
    expect(evaluateDelegation(findings(...lookups), expected)).toMatchObject({ kind: 'shadowed', servers: [other] });
  });

  it.each<[string, DnsAnswer]>([
    ['nothing', absent],
    ['a TXT record, which the CNAME may yet replace', found('old')],
  ])('is not at a server that has %s, and whose lookup of the CNAME failed: it lacks the record', (_case, answer) => {
    for (const visible of [ofZone(one, cname(target)), onServer(resolver, cname(target))]) {
      const verdict = evaluateDelegation(findings(visible, ofZone(other, broken), txt(answer)), expected);
      expect(verdict).toEqual({ kind: 'partial', lacking: [other] });
    }
  });

  it('is named without the servers that only lack the record', () => {
    const lacking = ofZone('192.0.2.3:53', [...broken, [host, 'TXT', found('old')]]);
    expect(evaluate(txt(found('x')), lacking)).toEqual({ kind: 'shadowed', seen: ['x'], servers: [other] });
  });

  it.each<[string, DnsLookup[]]>([
    ['a TXT record that the CNAME led to', txt(found('x'), target)],
    // A server of the zone cannot answer for our zone.
    ['no answer but the CNAME', txt(failed, target)],
    ['a failed lookup', txt(failed)],
    ['the TXT record in a cache', onServer(resolver, [[host, 'TXT', found('old')]])],
  ])('is not %s', (_case, lookups) => {
    expect(evaluate(lookups)).toEqual({ kind: 'delegated' });
  });
});

describe('the issue of a delegation', () => {
  const issueOf = (...lookups: ReturnType<typeof onServer>[]) =>
    delegationIssue(evaluateDelegation(findings(...lookups), expected), expected, name);

  it.each([
    ['that works', onServer(resolver, cname(target))],
    ['that does not exist, since it is optional', onServer(resolver, missing)],
    ['that nobody could look up', onServer(resolver, broken)],
  ])('is none for one %s', (_title, lookups) => {
    expect(issueOf(lookups)).toBeNull();
  });

  it('names what was found and what to enter', () => {
    const issue = issueOf(onServer(resolver, cname('docs.acme.example.net')));
    expect(issue).toMatchObject({ code: 'delegation_mismatch', severity: 'info' });
    expect(issue?.message).toContain('is a CNAME to another host (docs.acme.example.net)');
    expect(issue?.remediation).toContain(`to exactly ${target}`);
  });

  it.each([
    ['a chain', [onServer(resolver, cname('docs.acme.example.net')), ending(target)], 'must point to it directly'],
    ['an appended zone', [onServer(resolver, cname(`${target}.example.com`))], 'appended the zone example.com'],
    ['the target of another domain', [onServer(resolver, cname('ffffffffffff.acme.pets.example'))], 'another domain'],
    [
      'an appended zone beside another value',
      [onServer(resolver, cname('x.example.net', `${target}.example.com`))],
      'appended the zone example.com',
    ],
  ])('explains %s', (_title, lookups, text) => {
    expect(issueOf(...lookups)?.message).toContain(text);
  });

  it('names the servers that lack a new record', () => {
    const issue = issueOf(ofZone(one, cname(target)), ofZone(other, missing));
    expect(issue).toMatchObject({ code: 'delegation_propagating', evidence: { stale: [other] } });
  });
});

describe('the issue of a delegation without which there is no certificate', () => {
  const issuesOf = (...lookups: ReturnType<typeof onServer>[]) =>
    requiredDelegationIssues(evaluateDelegation(findings(...lookups), expected), expected, `*.${name}`);

  it.each<[string, ReturnType<typeof onServer>[], object[]]>([
    ['works', [onServer(resolver, cname(target))], []],
    ['does not exist', [onServer(resolver, missing)], [{ code: 'delegation_missing', evidence: { expected: target } }]],
    [
      'leads elsewhere',
      [onServer(resolver, cname('docs.acme.example.net'))],
      [{ code: 'delegation_missing', evidence: { seen: ['docs.acme.example.net'], servers: [resolver] } }],
    ],
    [
      'is not at every server',
      [ofZone(one, cname(target)), ofZone(other, missing)],
      [{ code: 'delegation_propagating', evidence: { name: `*.${name}`, host, stale: [other] } }],
    ],
    [
      'cannot be looked up',
      [onServer(resolver, broken)],
      [{ code: 'resolver_failed', evidence: { errors: ['ESERVFAIL'] } }],
    ],
    ['was not looked up', [], [{ code: 'resolver_failed', evidence: { errors: [`${host} was not looked up`] } }]],
  ])('is right where it %s', (_case, lookups, issues) => {
    expect(issuesOf(...lookups)).toMatchObject(issues);
    expect(issuesOf(...lookups)).toHaveLength(issues.length);
  });
});
