/**
 * Rewraps all encrypted columns with the active key-encryption key, so that other keys can be removed. Works in batches
 * and replaces a row only if it is unchanged, so it can be interrupted, repeated, and run beside the API. Only data
 * keys are decrypted, never secrets.
 */
import type { Database } from '@pets/persistence';
import { rewrap, type KeyRing } from '@pets/platform';
import {
  countsOf,
  EncryptedColumnsRepository,
  sealedPlaces,
  type Identity,
  type SealedPage,
  type SealedPlace,
  type SealedRow,
} from './encrypted-columns.repository.js';
import { describeKeyFault, KeyChecksRepository, uncheckedKeys } from './evaluate-keys.js';
import { checkKeys } from './key-check.js';

const BATCH = 500;
/** Rows that another transaction locked or changed are tried again in the next round. They are few, and soon unlocked. */
const MAX_ROUNDS = 20;

export interface RewrapResult {
  readonly active: string;
  readonly rewrapped: Readonly<Record<SealedPlace, number>>;
  /** Values that are still sealed with other keys: they could not be opened, or changed during each try. */
  readonly left: readonly KeyCount[];
  /** Certificates in the storage that are not written with the rewrapped key yet. */
  readonly objectsLeft: number;
  /** Keys that no longer seal anything: they may be removed from the configuration. None while objects are left. */
  readonly droppable: readonly string[];
}

type KeyCount = { readonly keyId: string } & Readonly<Record<SealedPlace, number>>;

/**
 * @param writeObjects writes the objects of the certificates whose key was rewrapped; returns how many are left
 * @throws Error when the configured keys are not those of the database, or no pets-api has seen the active one
 */
export async function rewrapKeys(
  db: Database,
  ring: KeyRing,
  writeObjects: () => Promise<number>,
): Promise<RewrapResult> {
  const checks = new KeyChecksRepository(db);
  if (uncheckedKeys(ring, await checks.list()).includes(ring.activeId))
    throw new Error(`no pets-api was started with key-encryption key "${ring.activeId}": configure it there first`);
  // Texts of a key that is not configured stay as they are. Only a different key under a known id does harm.
  const wrong = (await checkKeys(db, ring)).filter(({ kind }) => kind === 'other_key');
  if (wrong.length > 0) throw new Error(wrong.map(describeKeyFault).join('\n'));
  const texts = new EncryptedColumnsRepository(db);
  const rewrapped = countsOf(() => 0);
  for (const place of sealedPlaces) rewrapped[place] = await rewrapPlace(texts, place, ring);
  const objectsLeft = await writeObjects();
  const usage = await texts.count();
  const used = new Set(usage.map(({ keyId }) => keyId));
  const unused = (await checks.list()).filter(({ keyId }) => keyId !== ring.activeId && !used.has(keyId));
  const droppable = await checks.delete(objectsLeft > 0 ? [] : unused.map(({ keyId }) => keyId));
  const left = usage.filter(({ keyId }) => keyId !== ring.activeId).map(({ keyId, counts }) => ({ keyId, ...counts }));
  return { active: ring.activeId, rewrapped, left, objectsLeft, droppable };
}

export interface ListedKey extends KeyCount {
  readonly isActive: boolean;
  readonly isConfigured: boolean;
}

/** Every key that is configured, known or in use, with what is sealed with it. */
export async function listKeys(db: Database, ring: KeyRing): Promise<ListedKey[]> {
  const [checks, usage] = await Promise.all([
    new KeyChecksRepository(db).list(),
    new EncryptedColumnsRepository(db).count(),
  ]);
  const ids = new Set([...ring.keys.keys(), ...[...checks, ...usage].map(({ keyId }) => keyId).sort()]);
  return [...ids].map((keyId) => ({
    keyId,
    isActive: keyId === ring.activeId,
    isConfigured: ring.keys.has(keyId),
    ...(usage.find((used) => used.keyId === keyId)?.counts ?? countsOf(() => 0)),
  }));
}

async function rewrapPlace(texts: EncryptedColumnsRepository, place: SealedPlace, ring: KeyRing): Promise<number> {
  let total = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { opened, replaced } = await rewrapOnce(texts, place, ring);
    total += replaced;
    if (replaced === opened) break;
  }
  return total;
}

/** Rewraps one table, in one pass. */
async function rewrapOnce(texts: EncryptedColumnsRepository, place: SealedPlace, ring: KeyRing) {
  const counts = { opened: 0, replaced: 0 };
  let after: Identity | null = null;
  do {
    const { rows, next }: SealedPage = await texts.page(place, ring.activeId, after, BATCH);
    const changes = rows.flatMap((row) => {
      const text = tryRewrap(ring, row);
      return text === null ? [] : [{ row, text }];
    });
    counts.opened += changes.length;
    counts.replaced += await texts.replace(place, changes);
    after = next;
  } while (after !== null);
  return counts;
}

/** Null when it cannot be opened: it stays as it is and counts as left. */
function tryRewrap(ring: KeyRing, { text, binding }: SealedRow): string | null {
  try {
    return rewrap(ring, text, binding);
  } catch {
    return null;
  }
}
