import { expect, it } from '@jest/globals';
import { issueCodes, type DomainIssue, type IssueCode } from '@pets/contracts';
import { describeIssue } from './issues.js';

type Evidence = DomainIssue['evidence'];

it.each(issueCodes)('%s says what was seen and what to do, in whole sentences', (code) => {
  const { message, remediation } = describeIssue(code, {
    name: 'docs.example.com',
    seen: ['203.0.113.1'],
    expected: 'target.example',
  });
  expect(message).toMatch(/^[A-Z\w].*[.:]?\S$/);
  expect(remediation).toMatch(/^[A-Z].{10,}/);
});

const evidence = {
  name: 'docs.example.com',
  seen: 'x',
  expected: 'target.example',
  at: 'example.com',
  permitting: 'y',
};

it.each<[IssueCode, string, Evidence, RegExp]>([
  [
    'cname_mismatch',
    'a wildcard',
    { wildcard: '*.example.com' },
    /Create a CNAME record for docs\.example\.com itself/,
  ],
  ['conflicting_a', 'a wildcard', { wildcard: '*.example.com' }, /Create for docs\.example\.com itself/],
  [
    'caa_forbids',
    'a record in the way',
    { blocking: ['128 x "y"'] },
    /Remove what is marked critical.*\(128 x "y"\).*: y$/,
  ],
  ['ca_unavailable', 'a time of the CA', { until: 'noon' }, /not before noon/],
  ['no_record', 'a cache that remembers', { expectedBy: 'noon' }, /may remember until noon/],
])('%s says something else of %s', (code, _what, more, remediation) => {
  expect(describeIssue(code, { ...evidence, ...more }).remediation).toMatch(remediation);
  expect(describeIssue(code, evidence).remediation).not.toMatch(remediation);
});

it.each<[IssueCode, string]>([
  ['no_record', 'No DNS record for docs.example.com was found yet.'],
  ['proxied_by_cdn', 'docs.example.com leads to a proxy (x).'],
])('%s says nothing of what is not known', (code, message) => {
  expect(describeIssue(code, evidence).message).toBe(message);
});

it('says nothing of caches or of other records where none is known', () => {
  expect(describeIssue('no_record', evidence).remediation).toMatch(/It is looked for by itself\.$/);
  const missing = describeIssue('ownership_txt_missing', { name: 'h', expected: 't' });
  expect(missing.message).toBe('The proof of ownership at h was not found.');
});

it.each(issueCodes)('%s has an internationalized name in Unicode, with the form of DNS beside it', (code) => {
  const name = 'xn--bcher-kva.example.com';
  const { message, remediation, evidence: shown } = describeIssue(code, { ...evidence, name, at: name, proof: name });
  const readable = `${message} ${remediation}`.replaceAll('bücher.example.com (xn--bcher-kva.example.com)', '');
  expect(readable).not.toContain('xn--');
  expect(shown).toMatchObject({ name, at: name, proof: name });
});

it('shows the names that a CNAME leads to as people read them', () => {
  const seen = 'xn--mnchen-3ya.example.net → xn--bcher-kva.example.com';
  const { message, evidence } = describeIssue('cname_mismatch', { name: 'a.example.com', seen, expected: 'b.example' });
  expect(message).toContain(
    'to münchen.example.net (xn--mnchen-3ya.example.net) → bücher.example.com (xn--bcher-kva.example.com), not to b.example',
  );
  expect(evidence.seen).toBe(seen);
});
