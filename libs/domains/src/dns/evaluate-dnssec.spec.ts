import { describe, expect, it } from '@jest/globals';
import type { DnsAnswer, DnsLookup } from '@pets/contracts';
import { absent, failed, found } from '../../test/dns-findings.js';
import { bogusErrorOf, bogusIssue, bogusLookups } from './evaluate-dnssec.js';

const bogus: DnsAnswer = { kind: 'failed', error: 'SERVFAIL (DNSKEY Missing)', isBogus: true };
const at = (name: string, answer: DnsAnswer, changes: Partial<DnsLookup> = {}): DnsLookup => ({
  name,
  type: 'A',
  server: 'r1',
  answer,
  ...changes,
});
const parent = at('com', found('x'));
const broken = at('docs.example.com', bogus);

describe('the look-ups that DNSSEC broke', () => {
  it.each<[string, readonly DnsLookup[], number]>([
    ['at a resolver that validates what is above the domain', [parent, broken], 1],
    ['where what is above the domain has no such record', [at('com', absent), broken], 1],
    ['of the domain itself', [parent, at('example.com', bogus)], 1],
    ['of every name of the domain', [parent, broken, at('www.example.com', bogus)], 2],
    ['none: the resolver cannot validate what is above the domain', [at('com', failed), broken], 0],
    ['none: nothing is known of what is above the domain', [broken], 0],
    ['none: only an authoritative server answered above', [{ ...parent, isAuthoritative: true }, broken], 0],
    ['none: only another resolver validates', [{ ...parent, server: 'r2' }, broken], 0],
    ['none: only another name was answered', [at('net', found('x')), broken], 0],
    ['none: another failure', [parent, at('docs.example.com', failed)], 0],
    ['none: an answer', [parent, at('docs.example.com', found('192.0.2.1'))], 0],
    ['none: another domain', [parent, at('example.net', bogus), at('docs.other-example.com', bogus)], 0],
    ['none: a domain whose name ends the same', [parent, at('docs.myexample.com', bogus)], 0],
  ])('%s', (_name, lookups, count) => {
    expect(bogusLookups(lookups, 'docs.example.com')).toHaveLength(count);
    expect(bogusLookups(lookups, '*.docs.example.com')).toHaveLength(count);
  });

  it('are shown with their servers and errors, each once', () => {
    const errors = bogusLookups([parent, broken, broken], 'docs.example.com').map(bogusErrorOf);
    expect(bogusIssue('*.docs.example.com', errors)).toMatchObject({
      code: 'dnssec_broken',
      evidence: { name: 'example.com', seen: ['r1: SERVFAIL (DNSKEY Missing)'] },
    });
  });
});
