import { expect, it } from '@jest/globals';
import type { CaaVerdict } from '@pets/contracts';
import { describeCaa } from './describe-caa.js';

const shown = { at: 'example.com', records: ['0 issue ";"'], permitting: 'x' };
const forbids = { kind: 'forbids' as const, ...shown };

it.each<[string, Exclude<CaaVerdict, { kind: 'permits' }>, string, Record<string, unknown>]>([
  ['forbids', forbids, 'caa_forbids', shown],
  [
    'has a record in the way',
    { ...forbids, blocking: ['128 x "y"'] },
    'caa_forbids',
    { ...shown, blocking: ['128 x "y"'] },
  ],
  [
    'could not be told',
    { kind: 'unknown', at: 'com', error: 'ESERVFAIL' },
    'resolver_failed',
    { errors: ['CAA at com: ESERVFAIL'] },
  ],
])('CAA that %s is shown with its evidence', (_name, verdict, code, evidence) => {
  expect(describeCaa(verdict)).toMatchObject({ code });
  expect(describeCaa(verdict).evidence).toEqual(evidence);
});
