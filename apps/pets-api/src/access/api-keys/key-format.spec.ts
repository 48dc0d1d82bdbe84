import { describe, expect, it } from '@jest/globals';
import { displayOf, generateKey, keyPrefixOf, kindOfKey } from './key-format.js';

describe('keys', () => {
  it.each(['api_key', 'session'] as const)('are well formed when generated, and tell what they are: %s', (kind) => {
    for (let i = 0; i < 100; i++) expect(kindOfKey(generateKey('pets_live_', kind), 'pets_live_')).toBe(kind);
  });

  it.each(['api_key', 'session'] as const)('of the other environment are refused: %s', (kind) => {
    expect(kindOfKey(generateKey('pets_test_', kind), 'pets_live_')).toBeNull();
    expect(kindOfKey(generateKey('pets_live_', kind), 'pets_test_')).toBeNull();
  });

  it.each([
    ['production', 'pets_live_'],
    ['staging', 'pets_test_'],
    ['development', 'pets_test_'],
  ] as const)('of %s begin with %s', (environment, prefix) => expect(keyPrefixOf(environment)).toBe(prefix));

  it('with one mistyped character are refused by the checksum', () => {
    const key = generateKey('pets_live_', 'api_key');
    const at = 'pets_live_'.length + 5;
    const typo = key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1);
    expect(kindOfKey(typo, 'pets_live_')).toBeNull();
  });

  it.each(['', 'pets_live_', 'pets_live_short', `pets_live_${'é'.repeat(36)}`])('refuses %j', (key) => {
    expect(kindOfKey(key, 'pets_live_')).toBeNull();
  });

  it('refuses a key with something before or after it', () => {
    const key = generateKey('pets_live_', 'api_key');
    for (const wrong of [` ${key}`, `${key}\n`, `${key}0`]) expect(kindOfKey(wrong, 'pets_live_')).toBeNull();
  });

  it('show only their end', () => {
    const key = generateKey('pets_live_', 'api_key');
    expect(displayOf(key)).toHaveLength('pets_live_….'.length + 3);
  });
});
