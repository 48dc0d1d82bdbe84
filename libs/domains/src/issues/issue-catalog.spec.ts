import { describe, expect, it } from '@jest/globals';
import { issueCodes, type DomainIssue, type IssueCode } from '@pets/contracts';
import { describeIssue, issueCatalog } from './issue-catalog.js';

describe.each(issueCodes)('%s', (code) => {
  const { title, severity, resolvesAutomatically, example } = issueCatalog[code];

  it('has a short title of its own, which fits after “Live · ”', () => {
    expect(title).toMatch(/^(?:[a-z]|[A-Z]{2})[\w ]{0,28}[a-z]$/i);
    expect(issueCodes.filter((other) => issueCatalog[other].title === title)).toEqual([code]);
  });

  it('has an example with nothing unknown in its texts', () => {
    const { message, cause, remediation, evidence } = describeIssue(code, example);
    expect(`${message} ${cause} ${remediation}`).not.toMatch(/unknown|undefined|\[object/);
    expect(evidence).toEqual(example);
  });

  it('is no error if it resolves automatically', () => {
    expect([severity, resolvesAutomatically]).not.toEqual(['error', true]);
  });
});

type Evidence = DomainIssue['evidence'];

it.each(issueCodes)('%s states what happened and what to do, in complete sentences', (code) => {
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
  ['conflicting_a', 'a wildcard', { wildcard: '*.example.com' }, /Create a CNAME record for docs\.example\.com itself/],
  ['caa_forbids', 'a critical record', { blocking: ['128 x "y"'] }, /Remove the critical records.*\(128 x "y"\).*: y$/],
  ['ca_unavailable', 'a retry time of the CA', { until: 'noon' }, /not before noon/],
  ['no_record', 'a cached negative answer', { expectedBy: 'noon' }, /may cache the missing record until noon/],
])('%s has another remediation for %s', (code, _what, more, remediation) => {
  expect(describeIssue(code, { ...evidence, ...more }).remediation).toMatch(remediation);
  expect(describeIssue(code, evidence).remediation).not.toMatch(remediation);
});

it.each<[IssueCode, string]>([
  ['no_record', 'No DNS record for docs.example.com was found yet.'],
  ['proxied_by_cdn', 'docs.example.com points to a proxy (x).'],
])('%s leaves out evidence that is not known', (code, message) => {
  expect(describeIssue(code, evidence).message).toBe(message);
});

it('leaves out caches and other records if none are known', () => {
  expect(describeIssue('no_record', evidence).remediation).toMatch(/We check for it automatically\.$/);
  const missing = describeIssue('ownership_txt_missing', { name: 'h', expected: 't' });
  expect(missing.message).toBe('The TXT record that proves ownership was not found at h.');
  expect(missing.remediation).toBe('Create a TXT record at h with the value t.');
});

it.each(issueCodes)('%s shows an internationalized name in Unicode, followed by its ASCII form', (code) => {
  const name = 'xn--bcher-kva.example.com';
  const named = { ...evidence, name, host: name, at: name, proof: name };
  const { message, cause, remediation, evidence: shown } = describeIssue(code, named);
  const readable = `${message} ${cause} ${remediation}`.replaceAll(
    'bücher.example.com (xn--bcher-kva.example.com)',
    '',
  );
  expect(readable).not.toContain('xn--');
  expect(shown).toMatchObject({ name, at: name, proof: name });
});

it('shows the targets of a CNAME chain in Unicode and in ASCII', () => {
  const seen = 'xn--mnchen-3ya.example.net → xn--bcher-kva.example.com';
  const { message, evidence } = describeIssue('cname_mismatch', { name: 'a.example.com', seen, expected: 'b.example' });
  expect(message).toContain(
    'to another host: münchen.example.net (xn--mnchen-3ya.example.net) → bücher.example.com (xn--bcher-kva.example.com).',
  );
  expect(evidence.seen).toBe(seen);
});

it.each<[string, boolean]>([
  ['*.example.com', true],
  ['docs.example.com', false],
])('the record that delegates challenges blocks %s: %s', (name, blocking) => {
  for (const code of ['delegation_shadowed', 'delegation_propagating', 'delegation_lost'] as const)
    expect(describeIssue(code, { name })).toMatchObject({ area: 'delegation', blocking });
});

it('bounds texts and lists of its evidence, and leaves numbers', () => {
  const long = 'x'.repeat(2_000);
  const { evidence: shown } = describeIssue('no_record', {
    ...evidence,
    seen: long,
    servers: Array(40).fill('s'),
    at: 5,
  });
  expect(shown).toMatchObject({ at: 5, seen: expect.stringMatching(/^x{900,1024}… \(2000 bytes, cut\)$/) });
  expect(shown.servers).toEqual([...Array<string>(15).fill('s'), '… and 25 more']);
});
