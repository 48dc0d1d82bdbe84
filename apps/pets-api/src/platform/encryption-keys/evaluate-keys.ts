import { assertOpens, type KeyRing } from '@pets/platform';
import type { KeyUsage, SealedText } from './encrypted-columns.repository.js';
import { checkBinding, type KeyCheckRow } from './key-checks.repository.js';

/** Reason why a configured key does not match the database. */
export interface KeyFault {
  readonly keyId: string;
  readonly kind: 'missing' | 'other_key';
}

/**
 * Compares the configured keys with what was sealed. A key that is not configured is missed only while something is
 * sealed with it. `usage` may be left empty where every check is of a configured key and every configured key has one;
 * see `needsUsage`.
 */
export function evaluateKeys(ring: KeyRing, checks: readonly KeyCheckRow[], usage: readonly KeyUsage[]): KeyFault[] {
  const checked = new Set(checks.map(({ keyId }) => keyId));
  const missing = usage.filter(({ keyId }) => !ring.keys.has(keyId));
  const others = [
    ...checks
      .filter(({ keyId }) => ring.keys.has(keyId))
      .filter(({ keyId, sealed }) => !opens(ring, { text: sealed, binding: checkBinding(keyId) })),
    // Without a check value, sealed rows are the test. A single row may be damaged, so one that opens is enough.
    ...usage
      .filter(({ keyId }) => ring.keys.has(keyId) && !checked.has(keyId))
      .filter(({ samples }) => !samples.some((sample) => opens(ring, sample))),
  ];
  return [
    ...missing.map(({ keyId }) => ({ keyId, kind: 'missing' as const })),
    ...others.map(({ keyId }) => ({ keyId, kind: 'other_key' as const })),
  ];
}

/** Whether the checks are not sufficient, so that the tables must be read. */
export function needsUsage(ring: KeyRing, checks: readonly KeyCheckRow[]): boolean {
  return checks.some(({ keyId }) => !ring.keys.has(keyId)) || uncheckedKeys(ring, checks).length > 0;
}

/** Configured keys without a check value. */
export function uncheckedKeys(ring: KeyRing, checks: readonly KeyCheckRow[]): string[] {
  const checked = new Set(checks.map(({ keyId }) => keyId));
  return [...ring.keys.keys()].filter((keyId) => !checked.has(keyId));
}

/** The problem and its remedy, for the operator. Never contains a key. */
export function describeKeyFault({ keyId, kind }: KeyFault): string {
  switch (kind) {
    case 'missing':
      return `key-encryption key "${keyId}" is in use and not configured: add it to CERTIFICATE_KEKS`;
    case 'other_key':
      return `key-encryption key "${keyId}" does not match the key that encrypted the data: correct it in CERTIFICATE_KEKS`;
  }
}

function opens(ring: KeyRing, { text, binding }: SealedText): boolean {
  try {
    assertOpens(ring, text, binding);
    return true;
  } catch {
    return false; // every way in which it does not open comes to the same
  }
}
