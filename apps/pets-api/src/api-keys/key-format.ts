import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * `pets_live_` or `pets_test_`, 30 random base62 characters (178 bits), 6 of checksum: a mistyped key is refused without
 * asking the database, and secret scanners can tell a real key.
 */

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

export type KeyPrefix = 'pets_live_' | 'pets_test_';

/** Production takes live keys only, every other environment test keys only. */
export function keyPrefixOf(environment: 'production' | 'staging' | 'development'): KeyPrefix {
  return environment === 'production' ? 'pets_live_' : 'pets_test_';
}

export function generateApiKey(prefix: KeyPrefix): string {
  const random = Array.from({ length: RANDOM_LENGTH }, () => alphabet[randomInt(alphabet.length)]).join('');
  return prefix + random + checksumOf(random);
}

/** Whether a key has the prefix, the form and the right checksum. */
export function isWellFormedKey(key: string, prefix: KeyPrefix): boolean {
  if (!key.startsWith(prefix)) return false;
  const rest = key.slice(prefix.length);
  if (!/^[0-9A-Za-z]+$/.test(rest) || rest.length !== RANDOM_LENGTH + CHECKSUM_LENGTH) return false;
  return checksumOf(rest.slice(0, RANDOM_LENGTH)) === rest.slice(RANDOM_LENGTH);
}

/** What is stored: a key has so much entropy that a plain SHA-256 cannot be searched. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** How a key is shown after it was created. */
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
