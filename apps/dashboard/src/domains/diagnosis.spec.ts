import { expect, it } from '@jest/globals';
import { chooseTroubleshooting, compareEvidence } from './diagnosis.js';
import { exampleIssue } from './issue.example.js';

it('compareEvidence returns the expected and the observed value', () => {
  expect(compareEvidence({ evidence: { seen: 'a.example', expected: 'b.example' } })).toEqual({
    seen: ['a.example'],
    expected: ['b.example'],
  });
});

it('compareEvidence returns the CAA records and the one that would permit issuance', () => {
  const evidence = { records: ['0 issue "other.example"'], permitting: '0 issue "ca.example"' };
  expect(compareEvidence({ evidence })).toEqual({
    seen: ['0 issue "other.example"'],
    expected: ['0 issue "ca.example"'],
  });
});

it('compareEvidence returns null when nothing was observed', () => {
  expect(compareEvidence({ evidence: { expected: 'b.example' } })).toBeNull();
});

const now = new Date('2026-11-02T12:00:00Z');
const conflict = exampleIssue();
const base = { issues: [], liveAt: null, misconfigured: false } as const;

it.each([
  ['no record yet: nothing is wrong', { ...base, state: 'awaiting_dns' }, []],
  ['a conflict', { ...base, state: 'awaiting_dns', issues: [conflict] }, ['verification']],
  ['no certificate yet', { ...base, state: 'verified' }, ['certificate', 'privacy']],
  ['live for a minute', { ...base, state: 'live', liveAt: '2026-11-02T11:59:00Z' }, ['privacy']],
  ['live for long', { ...base, state: 'live', liveAt: '2026-11-01T11:59:00Z' }, []],
  ['no longer pointing here', { ...base, state: 'live', liveAt: null, misconfigured: true }, ['verification']],
  ['removed', { ...base, state: 'removed', issues: [conflict] }, []],
] as const)('chooseTroubleshooting: %s', (_name, domain, symptoms) =>
  expect(chooseTroubleshooting(domain, now)).toEqual(symptoms),
);
