import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Format: `pets_live_` or `pets_test_`, `session_` for a session, 30 random base62 characters (178 bits), and a
 * checksum of 6. The checksum rejects mistyped keys without a query, and lets secret scanners recognize real keys.
 */

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const keyForm = new RegExp(
  `^(pets_(?:live|test)_)(session_)?([0-9A-Za-z]{${RANDOM_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);

export type KeyPrefix = 'pets_live_' | 'pets_test_';
export type KeyKind = 'api_key' | 'session';

const kindMark = { api_key: '', session: 'session_' } as const satisfies Record<KeyKind, string>;

/** Production accepts live keys only, every other environment test keys only. */
export function keyPrefixOf(environment: 'production' | 'staging' | 'development'): KeyPrefix {
  return environment === 'production' ? 'pets_live_' : 'pets_test_';
}

export function generateKey(prefix: KeyPrefix, kind: KeyKind): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => alphabet[randomInt(alphabet.length)]).join('');
  return prefix + kindMark[kind] + random + checksumOf(random);
}

/** The kind that a key's format shows; null when prefix, format or checksum is wrong. */
export function kindOfKey(key: string, prefix: KeyPrefix): KeyKind | null {
  const [, keyPrefix, sessionMark, random = '', checksum] = keyForm.exec(key) ?? [];
  if (keyPrefix !== prefix || checksumOf(random) !== checksum) return null;
  return sessionMark === undefined ? 'api_key' : 'session';
}

/** The stored form. A plain SHA-256 is enough: a key has too much entropy for a search. */
export function hashKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** The form that lists show. */
export function displayOf(key: string): string {
  return `${key.slice(0, 'pets_live_'.length)}…${key.slice(-4)}`;
}

function checksumOf(random: string): string {
  let rest = crc32(random);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = alphabet.charAt(rest % alphabet.length) + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
