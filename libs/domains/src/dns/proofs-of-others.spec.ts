import { describe, expect, it } from '@jest/globals';
import type { DnsFindings } from '@pets/contracts';
import { absent, findings, found, onServer, type Asked } from '../../test/dns-findings.js';
import { describeIssue } from '../issues/describe-issue.js';
import type { DnsVerdict } from './evaluate-dns.js';
import { otherProofs, withProofsOfOthers } from './proofs-of-others.js';

const name = 'example.com';
const host = '_platform-challenge.example.com';
const seen = (...asked: Asked[]): DnsFindings => findings(onServer('r1', asked));

describe('the values beside the own token', () => {
  const overCname = findings(onServer('r1', [[host, 'TXT', found('t2')]]).map((one) => ({ ...one, alias: 'x.net' })));
  it.each<[string, DnsFindings, string[]]>([
    ['are those at the host of the proof', seen([host, 'TXT', found('t2', 't3')]), ['t2', 't3']],
    ['are without the own token', seen([host, 'TXT', found('t1', 't2')]), ['t2']],
    [
      'are each there once, of all servers',
      findings(onServer('r1', [[host, 'TXT', found('t2')]]), onServer('r2', [[host, 'TXT', found('t2', 't3')]])),
      ['t2', 't3'],
    ],
    ['are none of another name', seen([name, 'TXT', found('v=spf1 -all')]), []],
    ['are none of another type', seen([host, 'CNAME', found('x.net')]), []],
    ['are none that a CNAME led to', overCname, []],
    ['are none without a record', seen([host, 'TXT', absent]), []],
  ])('%s', (_name, lookups, values) => expect(otherProofs(lookups, host, 't1')).toEqual(values));
});

describe('the note about proofs of others', () => {
  const flattened = describeIssue('flattened', { name, expected: 't0k.cname.pets.example' });
  const note = describeIssue('ownership_txt_of_others', { name, host, seen: ['t2'] });
  const noted = (dns: DnsVerdict, tokens = ['t2']) => withProofsOfOthers(dns, { name, host }, tokens);

  it('is added to a match by address', () => {
    expect(noted({ kind: 'matches', by: 'address' })).toEqual({ kind: 'matches', by: 'address', notes: [note] });
    expect(noted({ kind: 'matches', by: 'address', notes: [flattened] })).toEqual({
      kind: 'matches',
      by: 'address',
      notes: [flattened, note],
    });
  });

  it.each<[string, DnsVerdict, string[]]>([
    ['a match by the target, which a TXT record cannot take', { kind: 'matches', by: 'target' }, ['t2']],
    ['a match without such proofs', { kind: 'matches', by: 'address' }, []],
    ['a mismatch', { kind: 'mismatch', issues: [], conflicts: [] }, ['t2']],
    ['an unknown result', { kind: 'unknown', issues: [] }, ['t2']],
  ])('is not added to %s', (_name, dns, tokens) => expect(noted(dns, tokens)).toEqual(dns));
});
