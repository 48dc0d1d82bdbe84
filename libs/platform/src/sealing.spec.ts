import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { parseKeyRing, seal, unseal } from './sealing.js';

const entry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const old = entry('2025');
const ring = parseKeyRing(old);

describe('sealing', () => {
  it('opens what it sealed', () => {
    expect(unseal(ring, seal(ring, 'PRIVATE', 'certificates|1|a'), 'certificates|1|a')).toBe('PRIVATE');
  });

  it('does not show the secret', () => {
    expect(Buffer.from(seal(ring, 'PRIVATE', 'x').split('.')[3] ?? '', 'base64url').includes('PRIVATE')).toBe(false);
  });

  it('refuses a secret that was moved to another row', () => {
    expect(() => unseal(ring, seal(ring, 'PRIVATE', 'certificates|1|a'), 'certificates|2|a')).toThrow();
  });

  it('refuses a text with a changed byte', () => {
    const sealed = seal(ring, 'PRIVATE', 'x');
    const flipped = sealed.endsWith('A') ? sealed.slice(0, -2) + 'BB' : sealed.slice(0, -2) + 'AA';
    expect(() => unseal(ring, flipped, 'x')).toThrow();
  });

  it('opens old secrets after a new key became active, and seals with the new one', () => {
    const rotated = parseKeyRing(`${entry('2026')},${old}`);
    expect(unseal(rotated, seal(ring, 'PRIVATE', 'x'), 'x')).toBe('PRIVATE');
    expect(seal(rotated, 'PRIVATE', 'x')).toMatch(/^v1\.2026\./);
  });

  it('names the key that is missing', () => {
    expect(() => unseal(parseKeyRing(entry('other')), seal(ring, 'PRIVATE', 'x'), 'x')).toThrow(
      '"2025" is not configured',
    );
  });

  it.each([
    ['a:', 'entry 1'],
    ['a:c2hvcnQ=', 'key "a" has 5 bytes'],
    ['', 'entry 1'],
  ])('refuses the ring %j and says where', (text, message) => {
    expect(() => parseKeyRing(text)).toThrow(message);
  });
});
