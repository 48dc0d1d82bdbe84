import { expect, it } from '@jest/globals';
import { evaluateIssued, type IssuedOutcome } from './chaos-certificates.js';

const live: IssuedOutcome = {
  ...{ name: 'a.example', state: 'live', issue: null, certificates: 1 },
  moves: ['awaiting_dns', 'verified', 'live'],
};

it.each<[string, Partial<IssuedOutcome>, number, number, boolean]>([
  ['is live', {}, 0, 0, true],
  ['had to be given a second certificate', { certificates: 2 }, 0, 1, true],
  ['was given a third', { certificates: 3 }, 0, 2, false],
  ['is not live', { state: 'verified', moves: ['awaiting_dns', 'verified'] }, 1, 0, false],
  ['became live twice', { moves: ['awaiting_dns', 'verified', 'live', 'live'] }, 0, 1, false],
  ['lacks a line of its history', { moves: ['awaiting_dns', 'live'] }, 1, 0, false],
])('a domain that %s', (_name, changes, lost, duplicated, isRight) => {
  const judgement = evaluateIssued([live, { ...live, ...changes }]);
  expect(judgement).toMatchObject({ lost, duplicated });
  expect(judgement.seen.length === 0).toBe(isRight);
});
