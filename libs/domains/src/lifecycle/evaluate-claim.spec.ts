import { describe, expect, it } from '@jest/globals';
import type { OwnershipVerdict } from '../dns/evaluate-ownership.js';
import { evaluateClaim, unprovenIssues } from './evaluate-claim.js';

const proven = { kind: 'proven' } as const;
const refuted = { kind: 'refuted' } as const;
const unknown = { kind: 'unknown', error: 'SERVFAIL' } as const;

describe('a name', () => {
  it.each<[string, boolean, OwnershipVerdict | null, string, string[]]>([
    ['that nobody ever had is free', false, null, 'free', []],
    ['that somebody once had is free with the proof', false, proven, 'free', []],
    ['that somebody once had waits without the proof', false, refuted, 'waits', ['ownership_txt_missing']],
    ['that somebody once had waits while the proof cannot be told', false, unknown, 'waits', ['resolver_failed']],
    ['that somebody has moves with the proof', true, proven, 'takes_over', []],
    [
      'that somebody has stays theirs without it',
      true,
      refuted,
      'waits',
      ['ownership_txt_missing', 'claimed_elsewhere'],
    ],
    [
      'that somebody has stays theirs while it cannot be told',
      true,
      unknown,
      'waits',
      ['resolver_failed', 'claimed_elsewhere'],
    ],
    ['that somebody has stays theirs where no proof was asked for', true, null, 'waits', ['claimed_elsewhere']],
  ])('%s', (_name, isClaimedElsewhere, verdict, kind, codes) => {
    const ownership = verdict && { verdict, host: '_platform-challenge.docs.example.com', token: 't' };
    const judged = evaluateClaim({ name: 'docs.example.com', isClaimedElsewhere, ownership });
    expect(judged.kind).toBe(kind);
    expect(judged.kind === 'waits' ? judged.issues.map(({ code }) => code) : []).toEqual(codes);
  });

  it.each<[string, OwnershipVerdict, Record<string, unknown>[]]>([
    ['a proof that is there', proven, []],
    ['no proof', refuted, [{ name: 'h', expected: 't' }]],
    ['no record', { ...refuted, seen: [] }, [{ name: 'h', expected: 't' }]],
    ['a failed look-up', unknown, [{ errors: ['SERVFAIL'] }]],
  ])('shows what %s leaves to say', (_name, verdict, evidence) => {
    expect(unprovenIssues({ verdict, host: 'h', token: 't' }).map((issue) => issue.evidence)).toStrictEqual(evidence);
  });

  it('that somebody has comes with how to get it', () => {
    const ownership = { verdict: refuted, host: '_platform-challenge.docs.example.com', token: 't' };
    const judged = evaluateClaim({ name: 'docs.example.com', isClaimedElsewhere: true, ownership });
    expect(judged.kind === 'waits' && judged.issues[1]?.remediation).toContain(ownership.host);
  });

  it.each([
    ['a token that is cut off', ['p4V0nJ2m'], 'truncated: it has 8 of 12'],
    ['a token in quotes beside another value', ['v=spf1 -all', '"p4V0nJ2mXq8T"'], 'quotation marks'],
  ])('with %s instead of the TXT record explains the mistake', (_case, seen, hint) => {
    const ownership = {
      verdict: { ...refuted, seen },
      host: '_platform-challenge.docs.example.com',
      token: 'p4V0nJ2mXq8T',
    };
    const judged = evaluateClaim({ name: 'docs.example.com', isClaimedElsewhere: false, ownership });
    const issue = judged.kind === 'waits' ? judged.issues[0] : undefined;
    expect(issue?.evidence).toMatchObject({ seen, expected: ownership.token });
    expect(issue?.message).toContain(hint);
  });

  it('with another value where the proof should be shows it, and guesses nothing', () => {
    const verdict = { ...refuted, seen: ['another'] };
    const ownership = { verdict, host: '_platform-challenge.docs.example.com', token: 'p4V0nJ2mXq8T' };
    const judged = evaluateClaim({ name: 'docs.example.com', isClaimedElsewhere: false, ownership });
    const issue = judged.kind === 'waits' ? judged.issues[0] : undefined;
    expect(issue?.evidence).toEqual({ name: ownership.host, expected: ownership.token, seen: ['another'] });
    expect(issue?.message).toContain('“another”');
  });
});
