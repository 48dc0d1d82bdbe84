import { describe, expect, it } from '@jest/globals';
import { displayOf, generateApiKey, isWellFormedKey } from './key-format.js';

describe('API keys', () => {
  it('are well formed when generated', () => {
    for (let i = 0; i < 100; i++) expect(isWellFormedKey(generateApiKey('pets_live_'), 'pets_live_')).toBe(true);
  });

  it('of the other environment are refused', () => {
    expect(isWellFormedKey(generateApiKey('pets_test_'), 'pets_live_')).toBe(false);
  });

  it('with one mistyped character are refused by the checksum', () => {
    const key = generateApiKey('pets_live_');
    const at = 'pets_live_'.length + 5;
    const typo = key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1);
    expect(isWellFormedKey(typo, 'pets_live_')).toBe(false);
  });

  it.each(['', 'pets_live_', 'pets_live_short', `pets_live_${'é'.repeat(36)}`])('refuses %j', (key) => {
    expect(isWellFormedKey(key, 'pets_live_')).toBe(false);
  });

  it('show only their end', () => {
    const key = generateApiKey('pets_live_');
    expect(displayOf(key)).toHaveLength('pets_live_….'.length + 3);
  });
});
