import type { Database } from '@pets/persistence';
import { assertOpens, seal, type KeyRing } from '@pets/platform';
import type { KeyUsage, SealedText } from './encrypted-columns.repository.js';

/** A known text encrypted with a key: it verifies that another replica has the same key. */
export interface KeyCheckRow {
  readonly keyId: string;
  readonly sealed: string;
}

export class KeyChecksRepository {
  constructor(private readonly db: Database) {}

  list(): Promise<KeyCheckRow[]> {
    return this.db.selectFrom('key_checks').select(['key_id as keyId', 'sealed']).orderBy('key_id').execute();
  }

  /** If two replicas have different keys with one id, the first value stays, and the other replica fails to decrypt it. */
  async insertMissing(ring: KeyRing, keyIds: readonly string[]): Promise<void> {
    if (keyIds.length === 0) return;
    await this.db
      .insertInto('key_checks')
      .values(
        keyIds.map((keyId) => ({
          key_id: keyId,
          sealed: seal({ ...ring, activeId: keyId }, 'the key-encryption key is the right one', checkBinding(keyId)),
        })),
      )
      .onConflict((conflict) => conflict.column('key_id').doNothing())
      .execute();
  }

  /** Deletes the checks of keys. @returns the keys that had one */
  async delete(keyIds: readonly string[]): Promise<string[]> {
    if (keyIds.length === 0) return [];
    const rows = await this.db.deleteFrom('key_checks').where('key_id', 'in', keyIds).returning('key_id').execute();
    return rows.map(({ key_id: keyId }) => keyId).sort();
  }
}

export function checkBinding(keyId: string): string {
  return `key_checks|${keyId}`;
}

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
