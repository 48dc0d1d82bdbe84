import { describe, expect, it } from '@jest/globals';
import type { DnsAnswer, DnsLookup } from '@pets/contracts';
import { ours, set } from '../../test/caa-lookups.js';
import { evaluateCaa, type CaaPolicy } from './evaluate-caa.js';

const byDns: CaaPolicy = {
  identities: ['ca.example'],
  accountUrl: 'https://ca.example/acct/1',
  method: 'dns-01',
};

/** Looks each ancestor up; what is not given is absent. */
const climb = (answers: Record<string, DnsAnswer>): DnsLookup[] =>
  ['x.docs.example.com', 'docs.example.com', 'example.com', 'com'].map((name) => {
    return { name, type: 'CAA', server: '1', answer: answers[name] ?? { kind: 'absent' } };
  });
const against = { 'example.com': set('0 issue "other.example"') };

describe('evaluateCaa of a wildcard', () => {
  const base = 'docs.example.com';
  it.each<[string, Record<string, DnsAnswer>, string]>([
    ['no record anywhere', {}, 'permits'],
    ['the set of the base decides, not one below it', { [base]: ours, [`x.${base}`]: set('0 issue ";"') }, 'permits'],
    ['issue without issuewild', { [base]: ours }, 'permits'],
    ['another CA by issue, without issuewild', against, 'forbids'],
    [
      'issuewild permits although issue does not',
      { [base]: set('0 issue ";"', '0 issuewild "ca.example"') },
      'permits',
    ],
    ['issuewild forbids although issue permits', { [base]: set('0 issue "ca.example"', '0 issuewild ";"') }, 'forbids'],
    ['issuewild of another CA', { [base]: set('0 issuewild "other.example"') }, 'forbids'],
    [
      'issuewild further up does not add to a closer set',
      { [base]: ours, 'example.com': set('0 issuewild ";"') },
      'permits',
    ],
    ['our method', { [base]: set('0 issuewild "ca.example; validationmethods=dns-01"') }, 'permits'],
    ['another method', { [base]: set('0 issuewild "ca.example; validationmethods=http-01"') }, 'forbids'],
    ['another account', { [base]: set('0 issuewild "ca.example; accounturi=https://ca.example/acct/2"') }, 'forbids'],
    ['only iodef', { [base]: set('0 iodef "mailto:a@example.com"') }, 'permits'],
  ])('%s', (_name, answers, expected) => {
    expect(evaluateCaa(climb(answers), `*.${base}`, byDns).kind).toBe(expected);
  });

  it('names the record that would permit', () => {
    const forbidding = { [base]: set('0 issue "ca.example"', '0 issuewild ";"') };
    expect(evaluateCaa(climb(forbidding), `*.${base}`, byDns)).toMatchObject({
      at: base,
      permitting: `${base}. CAA 0 issuewild "ca.example"`,
    });
  });
});
