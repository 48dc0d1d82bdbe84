import { expect, it } from '@jest/globals';
import { evaluateDomain, type DomainOutcome } from './verdict.js';

const begun = { from: null, to: 'awaiting_dns' };
const verified = { from: 'awaiting_dns', to: 'verified' };
const right: DomainOutcome = {
  ...{ name: 'a.example', state: 'verified', generation: 2, checked: false, isMine: true },
  history: [begun, verified],
};
const refused = { state: 'awaiting_dns', generation: 1, checked: true, isMine: false, history: [begun] };

it.each<[string, Partial<DomainOutcome>, boolean, number]>([
  ['is as its DNS says', {}, false, 0],
  ['is rightly not verified', refused, false, 0],
  [
    'was checked again, without a change',
    { ...refused, history: [begun, { from: 'awaiting_dns', to: 'awaiting_dns' }] },
    false,
    0,
  ],
  ['is not verified though it should be', { ...refused, isMine: true }, true, 0],
  ['was never checked', { ...refused, checked: false }, true, 0],
  ['has no line of its change', { history: [begun] }, true, 0],
  ['was verified twice', { history: [begun, verified, verified] }, false, 1],
  ['began a generation too many', { generation: 3 }, false, 1],
])('a domain that %s', (_name, changes, isLost, duplicated) => {
  const judgement = evaluateDomain({ ...right, ...changes });
  expect(judgement).toMatchObject({ isLost, duplicated });
  expect(judgement.seen.length > 0).toBe(isLost || duplicated > 0);
});
