import { expect, it } from '@jest/globals';
import { compareEvidence } from './compare-evidence.js';

it('sets what was seen beside what was expected', () => {
  expect(compareEvidence({ code: 'cname_mismatch', evidence: { seen: 'a.example', expected: 'b.example' } })).toEqual({
    seen: ['a.example'],
    expected: ['b.example'],
  });
});

it('shows the CAA records beside the one that would permit', () => {
  const evidence = { records: ['0 issue "other.example"'], permitting: '0 issue "ca.example"' };
  expect(compareEvidence({ code: 'caa_forbids', evidence })).toEqual({
    seen: ['0 issue "other.example"'],
    expected: ['0 issue "ca.example"'],
  });
});

it('has nothing to show where nothing was seen', () => {
  expect(compareEvidence({ code: 'no_record', evidence: { expected: 'b.example' } })).toBeNull();
});
