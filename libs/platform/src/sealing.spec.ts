import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { assertOpens, parseKeyRing, rewrap, seal, sealingKeyId, unseal } from './sealing.js';

const entry = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
const old = entry('2025');
const ring = parseKeyRing(old);

describe('sealing', () => {
  it('unseals a sealed secret', () => {
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

  it('unseals old secrets after a new key became active, and seals with the new key', () => {
    const rotated = parseKeyRing(`${entry('2026')},${old}`);
    expect(unseal(rotated, seal(ring, 'PRIVATE', 'x'), 'x')).toBe('PRIVATE');
    expect(seal(rotated, 'PRIVATE', 'x')).toMatch(/^v1\.2026\./);
  });

  it('reports when another key has the id', () => {
    const sealed = seal(ring, 'PRIVATE', 'x');
    expect(() => unseal(parseKeyRing(entry('2025')), sealed, 'x')).toThrow('"2025" does not decrypt this');
    expect(() => assertOpens(parseKeyRing(entry('2025')), sealed, 'x')).toThrow('"2025" does not decrypt this');
  });

  it('names the missing key', () => {
    expect(() => unseal(parseKeyRing(entry('other')), seal(ring, 'PRIVATE', 'x'), 'x')).toThrow(
      '"2025" is not configured',
    );
  });

  it.each([
    ['a:', 'entry 1'],
    ['a:c2hvcnQ=', 'key "a" has 5 bytes'],
    ['', 'entry 1'],
  ])('refuses the ring %j and names the entry', (text, message) => {
    expect(() => parseKeyRing(text)).toThrow(message);
  });
});

describe('rewrapping', () => {
  const fresh = entry('2026');
  const both = parseKeyRing(`${fresh},${old}`);

  it('wraps the data key with the active key and leaves the secret unchanged', () => {
    const before = seal(ring, 'PRIVATE', 'x');
    const after = rewrap(both, before, 'x');
    expect(sealingKeyId(before)).toBe('2025');
    expect(sealingKeyId(after)).toBe('2026');
    expect(after.split('.')[3]).toBe(before.split('.')[3]);
    expect(unseal(parseKeyRing(fresh), after, 'x')).toBe('PRIVATE');
  });

  it('returns a secret unchanged that the active key wraps already', () => {
    const sealed = seal(both, 'PRIVATE', 'x');
    expect(rewrap(both, sealed, 'x')).toBe(sealed);
  });

  it('refuses a secret that was moved to another row', () => {
    expect(() => rewrap(both, seal(ring, 'PRIVATE', 'x'), 'y')).toThrow('"2025" does not decrypt this');
  });

  it('does not make a changed secret valid', () => {
    const [version, keyId, wrapped, sealed = ''] = seal(ring, 'PRIVATE', 'x').split('.');
    const changed = [version, keyId, wrapped, `AAAA${sealed.slice(4)}`].join('.');
    expect(() => unseal(both, rewrap(both, changed, 'x'), 'x')).toThrow();
  });
});
