import { describe, expect, it } from '@jest/globals';
import { forwardedMetadata } from './forwarded-metadata.js';

describe('forwardedMetadata', () => {
  it.each([
    ['no metadata', null, ['tier'], undefined],
    ['none of the keys', { note: 'x' }, ['tier'], undefined],
    ['no keys', { tier: 'gold' }, [], undefined],
    ['the keys', { tier: 'gold', note: 'x' }, ['tier', 'plan'], '{"tier":"gold"}'],
    // 11 bytes are the JSON around it.
    ['a text that just fits', { t: 'x'.repeat(1_016) }, ['t'], `{"t":"${'x'.repeat(1_016)}"}`],
    ['a text that is longer', { t: 'x'.repeat(1_017) }, ['t'], 'too_long'],
    ['a text that is longer in UTF-8', { t: 'é'.repeat(509) }, ['t'], 'too_long'],
  ] as const)('of %s', (_what, metadata, keys, told) => expect(forwardedMetadata(metadata, keys)).toBe(told));
});
