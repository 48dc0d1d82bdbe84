import { describe, expect, it } from '@jest/globals';
import type { OwnershipVerdict } from '../dns/evaluate-ownership.js';
import { evaluateClaim, unprovenIssues } from './evaluate-claim.js';

const proven = { kind: 'proven' } as const;
const refuted = { kind: 'refuted' } as const;
const unknown = { kind: 'unknown', error: 'SERVFAIL' } as const;

describe('a name', () => {
  it.each<[string, boolean, OwnershipVerdict | null, string, string[]]>([
    ['without an owner is free', false, null, 'free', []],
    ['with a former owner is free with the proof', false, proven, 'free', []],
    ['with a former owner waits without the proof', false, refuted, 'waits', ['ownership_txt_missing']],
    ['with a former owner waits while the proof is unknown', false, unknown, 'waits', ['resolver_failed']],
    ['of another owner moves with the proof', true, proven, 'takes_over', []],
    [
      'of another owner stays theirs without the proof',
      true,
      refuted,
      'waits',
      ['ownership_txt_missing', 'claimed_elsewhere'],
    ],
    [
      'of another owner stays theirs while the proof is unknown',
      true,
      unknown,
      'waits',
      ['resolver_failed', 'claimed_elsewhere'],
    ],
    ['of another owner stays theirs where no proof was requested', true, null, 'waits', ['claimed_elsewhere']],
  ])('%s', (_name, isClaimedElsewhere, verdict, kind, codes) => {
    const ownership = verdict && { verdict, host: '_platform-challenge.docs.example.com', token: 't' };
    const claim = evaluateClaim({ name: 'docs.example.com', isClaimedElsewhere, ownership });
    expect(claim.kind).toBe(kind);
    expect(claim.kind === 'waits' ? claim.issues.map(({ code }) => code) : []).toEqual(codes);
  });

  it.each<[string, OwnershipVerdict, Record<string, unknown>[]]>([
    ['a proof', proven, []],
    ['no proof', refuted, [{ name: 'h', expected: 't' }]],
    ['no record', { ...refuted, seen: [] }, [{ name: 'h', expected: 't' }]],
    ['a failed lookup', unknown, [{ errors: ['SERVFAIL'] }]],
  ])('has the issues of %s', (_name, verdict, evidence) => {
    expect(unprovenIssues({ verdict, host: 'h', token: 't' }).map((issue) => issue.evidence)).toStrictEqual(evidence);
  });

  it('of another owner has an issue with the remediation', () => {
    const ownership = { verdict: refuted, host: '_platform-challenge.docs.example.com', token: 't' };
    const claim = evaluateClaim({ name: 'docs.example.com', isClaimedElsewhere: true, ownership });
    expect(claim.kind === 'waits' && claim.issues[1]?.remediation).toContain(ownership.host);
  });

  it.each([refuted, unknown])('too long for the TXT record says that it is impossible, %j', (verdict) => {
    const host = `_platform-challenge.${'a'.repeat(234)}`;
    const claim = evaluateClaim({
      name: 'a'.repeat(234),
      isClaimedElsewhere: true,
      ownership: { verdict, host, token: 't' },
    });
    const [missing, claimed] = claim.kind === 'waits' ? claim.issues : [];
    expect(missing).toMatchObject({ code: 'ownership_txt_missing', evidence: { name: host, length: 254 } });
    expect(missing?.message).toContain('is impossible');
    expect(missing?.remediation).toContain('a CNAME record that is not flattened');
    expect(claimed?.evidence).not.toHaveProperty('proof');
  });

  it.each([
    ['a truncated token', ['p4V0nJ2m'], 'truncated: it has 8 of 12'],
    ['a token in quotes beside another value', ['v=spf1 -all', '"p4V0nJ2mXq8T"'], 'quotation marks'],
  ])('with %s instead of the TXT record explains the mistake', (_case, seen, hint) => {
    const ownership = {
      verdict: { ...refuted, seen },
      host: '_platform-challenge.docs.example.com',
      token: 'p4V0nJ2mXq8T',
    };
    const claim = evaluateClaim({ name: 'docs.example.com', isClaimedElsewhere: false, ownership });
    const issue = claim.kind === 'waits' ? claim.issues[0] : undefined;
    expect(issue?.evidence).toMatchObject({ seen, expected: ownership.token });
    expect(issue?.message).toContain(hint);
  });

  it.each<[string, object, string]>([
    [
      'a CNAME',
      { alias: 'xn--bcher-kva.example' },
      'A CNAME to bücher.example (xn--bcher-kva.example) answers in its place',
    ],
    ['a wildcard', { wildcard: '*.example.com' }, 'The wildcard record *.example.com answers in its place'],
    [
      'a CNAME of a wildcard',
      { alias: 'x.net', wildcard: '*.example.com' },
      'The wildcard record *.example.com, a CNAME to x.net, answers in its place',
    ],
  ])('whose TXT record %s hides explains that', (_case, detour, hint) => {
    const verdict: OwnershipVerdict = { ...refuted, ...detour };
    const [issue] = unprovenIssues({ verdict, host: 'h', token: 't' });
    expect(issue?.evidence).toEqual({ name: 'h', expected: 't', ...detour, hint: expect.stringContaining(hint) });
    // No record of the name exists that could be changed.
    expect(issue?.remediation).toBe('Create a TXT record at h with the value t.');
  });

  it('whose TXT record has the zone twice in its name explains that', () => {
    const host = '_platform-challenge.docs.example.com';
    const verdict: OwnershipVerdict = { ...refuted, seen: [], enteredAt: `${host}.example.com` };
    const [issue] = unprovenIssues({ verdict, host, token: 't' });
    expect(issue?.evidence).toMatchObject({
      ...{ name: host, expected: 't', enteredAt: `${host}.example.com`, entered: '_platform-challenge.docs' },
    });
    expect(issue?.message).toContain('its name ends with the zone twice');
    expect(issue?.remediation).toContain(
      'change the name of that record to _platform-challenge.docs, without the zone',
    );
  });

  it('with another TXT value shows it without a hint', () => {
    const verdict = { ...refuted, seen: ['another'] };
    const ownership = { verdict, host: '_platform-challenge.docs.example.com', token: 'p4V0nJ2mXq8T' };
    const claim = evaluateClaim({ name: 'docs.example.com', isClaimedElsewhere: false, ownership });
    const issue = claim.kind === 'waits' ? claim.issues[0] : undefined;
    expect(issue?.evidence).toEqual({ name: ownership.host, expected: ownership.token, seen: ['another'] });
    expect(issue?.message).toContain('“another”');
  });
});
