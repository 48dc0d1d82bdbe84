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
