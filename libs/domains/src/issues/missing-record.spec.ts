import { expect, it } from '@jest/globals';
import type { IssueCode } from '@pets/contracts';
import { isRecordMissing } from './missing-record.js';

it.each<[string, IssueCode, Record<string, string>, boolean]>([
  ['a name without a record', 'no_record', { expected: 'target.example' }, true],
  ['no proof of ownership', 'ownership_txt_missing', { expected: 'token' }, true],
  ['another value in the place of the proof', 'ownership_txt_missing', { expected: 'token', seen: 'other' }, false],
  ['a proof at another name', 'ownership_txt_missing', { expected: 'token', enteredAt: 'x.example' }, false],
  ['a proof whose name is too long', 'ownership_txt_missing', { length: '260' }, false],
  ['no delegation', 'delegation_missing', { expected: 'target.example' }, true],
  ['a delegation to another place', 'delegation_missing', { expected: 'target.example', seen: 'x.example' }, false],
  ['a delegation that a flattening server hides', 'delegation_shadowed', { expected: 'target.example' }, false],
])('%s: %s with %j is %s', (_title, code, evidence, isMissing) => {
  expect(isRecordMissing({ code, evidence })).toBe(isMissing);
});
