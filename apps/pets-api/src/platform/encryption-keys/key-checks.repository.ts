import type { Database } from '@pets/persistence';
import { seal, type KeyRing } from '@pets/platform';

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
