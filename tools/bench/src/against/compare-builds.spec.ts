import { expect, it } from '@jest/globals';
import { compareBuilds, describeComparison, type Pair } from './compare-builds.js';

const pairOf = (here: Record<string, number>, there: Record<string, number>): Pair => ({
  here: new Map(Object.entries(here)),
  there: new Map(Object.entries(there)),
});
const describe = (pairs: readonly Pair[]) =>
  compareBuilds(pairs).map((compared) => describeComparison('engine', 'abc1234', compared));

it('compares each pair, so that a machine that becomes slower changes nothing', () => {
  expect(describe([pairOf({ a: 2 }, { a: 4 }), pairOf({ a: 1 }, { a: 2 }), pairOf({ a: 0.5 }, { a: 1 })])).toEqual([
    'ratio engine/a/against 0.500 ± 0.00   1.00 here, 2.00 at abc1234',
  ]);
});

it('shows how far the pairs are apart', () => {
  expect(describe([pairOf({ a: 1 }, { a: 1 }), pairOf({ a: 2 }, { a: 1 }), pairOf({ a: 3 }, { a: 1 })])).toEqual([
    'ratio engine/a/against 2.00 ± 1.00   2.00 here, 1.00 at abc1234',
  ]);
});

it('shows CPU times as microseconds, and names no suite twice', () => {
  expect(describe([pairOf({ 'cpu/a': 0.002, 'engine/b': 1 }, { 'cpu/a': 0.001, 'engine/b': 1 })])).toEqual([
    'ratio engine/cpu/a/against 2.00 ± 0.00   2.00e+3 µs here, 1.00e+3 µs at abc1234',
    'ratio engine/b/against 1.00 ± 0.00   1.00 here, 1.00 at abc1234',
  ]);
});

it.each<[string, readonly Pair[], string]>([
  ['only here', [pairOf({ a: 1 }, {})], 'only this build has it'],
  ['only there', [pairOf({}, { a: 1 })], 'only the other build has it'],
  ['missing in a run', [pairOf({ a: 1 }, { a: 1 }), pairOf({}, {})], 'some runs lack it'],
  ['zero', [pairOf({ a: 1 }, { a: 0 })], 'there is nothing to divide by'],
])('does not compare a figure that is %s', (_name, pairs, reason) => {
  expect(describe(pairs)).toEqual([`engine/a/against not comparable: ${reason}`]);
});
