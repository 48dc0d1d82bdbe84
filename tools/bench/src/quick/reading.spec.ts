import { expect, it } from '@jest/globals';
import { costsOf } from './reading.js';

it('compares each process with the one of the same name, or with all of the peer', () => {
  const pair = { ours: { server: 3, worker: 4 }, peer: { server: 1, database: 1 } };
  expect(costsOf('create', [pair, pair])).toEqual([
    { kind: 'cost', name: 'create/server', ratio: 3, spread: 0 },
    { kind: 'cost', name: 'create/worker', ratio: 2, spread: 0 },
  ]);
});

it('takes the median of the pairs, so that one that was disturbed counts little', () => {
  const pairs = [1, 1, 9].map((seconds) => ({ ours: { node: seconds }, peer: { node: 1 } }));
  expect(costsOf('edge', pairs)[0]).toMatchObject({ ratio: 1 });
});

it('has no figure where a peer seems to have used no CPU time', () => {
  expect(costsOf('edge', [{ ours: { node: 1 }, peer: { node: 0 } }])[0]).toMatchObject({ kind: 'unmeasured' });
});
