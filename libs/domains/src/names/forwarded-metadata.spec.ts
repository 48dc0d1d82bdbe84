import { describe, expect, it } from '@jest/globals';
import { forwardedMetadata, isForwardable } from './forwarded-metadata.js';

describe('forwardedMetadata', () => {
  it.each([
    ['no metadata', null, ['tier'], undefined],
    ['none of the keys', { note: 'x' }, ['tier'], undefined],
    ['no keys', { tier: 'gold' }, [], undefined],
    ['the keys', { tier: 'gold', note: 'x' }, ['tier', 'plan'], '{"tier":"gold"}'],
  ] as const)('of %s', (_what, metadata, keys, told) => expect(forwardedMetadata(metadata, keys)).toBe(told));
});

describe('isForwardable', () => {
  it.each([
    ['a text that just fits', 'x'.repeat(1_024), true],
    ['a longer text', 'x'.repeat(1_025), false],
    ['a text that is longer in UTF-8', 'é'.repeat(513), false],
  ])('of %s', (_what, text, fits) => expect(isForwardable(text)).toBe(fits));
});
