import { describe, expect, it } from '@jest/globals';
import { parseKeyRing, seal, type KeyRing } from '@pets/platform';
import type { KeyUsage } from './encrypted-columns.repository.js';
import {
  checkBinding,
  describeKeyFault,
  evaluateKeys,
  needsUsage,
  uncheckedKeys,
  type KeyCheckRow,
} from './evaluate-keys.js';

const ringOf = (...keys: readonly (readonly [string, number])[]): KeyRing =>
  parseKeyRing(keys.map(([id, fill]) => `${id}:${Buffer.alloc(32, fill).toString('base64')}`).join());
const checkOf = (keyId: string, fill: number): KeyCheckRow => ({
  keyId,
  sealed: seal(ringOf([keyId, fill]), 'check', checkBinding(keyId)),
});
const usageOf = (keyId: string, fill: number): KeyUsage => {
  const damaged = { text: seal(ringOf([keyId, 99]), 'x', 'a'), binding: 'a' };
  const sample = { text: seal(ringOf([keyId, fill]), 'x', 'b'), binding: 'b' };
  return { keyId, samples: [damaged, sample] };
};
const missing = (keyId: string) => [{ keyId, kind: 'missing' }];
const otherKey = (keyId: string) => [{ keyId, kind: 'other_key' }];

const one = ringOf(['a', 1]);
const two = ringOf(['b', 2], ['a', 1]);

describe('the configured keys', () => {
  it.each([
    ['fit an empty database', one, [], [], []],
    ['fit their checks', two, [checkOf('a', 1), checkOf('b', 2)], [], []],
    ['do not fit another key of the same id', one, [checkOf('a', 9)], [], otherKey('a')],
    ['lack one that something is sealed with', ringOf(['b', 2]), [checkOf('a', 1)], [usageOf('a', 1)], missing('a')],
    ['do not lack one that nothing is sealed with any more', ringOf(['b', 2]), [checkOf('a', 1)], [], []],
    ['lack one that was in use before checks were kept', ringOf(['b', 2]), [], [usageOf('a', 1)], missing('a')],
    ['fit what was sealed before checks were kept, a damaged row aside', one, [], [usageOf('a', 1)], []],
    ['do not fit what another key sealed before checks were kept', one, [], [usageOf('a', 9)], otherKey('a')],
  ] as const)('%s', (_name, ring, checks, usage, faults) => expect(evaluateKeys(ring, checks, usage)).toEqual(faults));

  it('are compared by their checks alone once each has one, without reading any table', () => {
    expect(needsUsage(two, [checkOf('a', 1), checkOf('b', 2)])).toBe(false);
    expect(needsUsage(two, [checkOf('a', 1)])).toBe(true);
    expect(needsUsage(one, [checkOf('a', 1), checkOf('b', 2)])).toBe(true);
    expect(uncheckedKeys(two, [checkOf('a', 1)])).toEqual(['b']);
  });

  it('are reported by id, with an instruction', () => {
    expect(describeKeyFault({ keyId: 'a', kind: 'missing' })).toContain('"a" is in use and not configured: add it to');
    expect(describeKeyFault({ keyId: 'a', kind: 'other_key' })).toContain(
      '"a" does not match the key that encrypted the data',
    );
  });
});
