import type { FileStorage } from '@pets/platform';

/** A real storage whose requests a test fails or delays. */
export interface SwitchedStorage extends FileStorage {
  /** The keys that were written. */
  readonly writes: string[];
  /** Whether writes and deletions of a key fail. */
  fail: (key: string) => boolean;
  /** The next write sends everything only after the release, whatever its signal says: as if the network were slow. */
  holdNextWrite(): { readonly begun: Promise<void>; readonly release: () => void };
}

export function switchedStorage(storage: FileStorage): SwitchedStorage {
  let held: { begin: () => void; released: Promise<void> } | undefined;
  const requireStorage = (key: string) => {
    if (switched.fail(key)) throw new Error('the storage is away');
  };
  const switched: SwitchedStorage = {
    ...storage,
    writes: [],
    fail: () => false,
    holdNextWrite: () => {
      const begun = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      held = { begin: begun.resolve, released: released.promise };
      return { begun: begun.promise, release: released.resolve };
    },
    write: async (key, content, signal) => {
      requireStorage(key);
      const hold = held;
      held = undefined;
      hold?.begin();
      await hold?.released;
      await storage.write(key, content, hold === undefined ? signal : undefined);
      switched.writes.push(key);
    },
    delete: async (key, signal) => {
      requireStorage(key);
      await storage.delete(key, signal);
    },
  };
  return switched;
}
