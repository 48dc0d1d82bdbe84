import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

type Version = { readonly hash: string; readonly mtimeMs: number; readonly size: number };

/** Content of each source that the processes have loaded. Saving a file without a change is none. */
export class SourceVersions {
  readonly #loaded = new Map<string, Version>();

  /** @param loadedAfterMs when the process that loaded it was started: a later change of the file may not be in it */
  add(path: string, loadedAfterMs: number): void {
    if (this.#loaded.has(path)) return;
    const version = read(path);
    const isSafe = version.mtimeMs < loadedAfterMs;
    this.#loaded.set(path, isSafe ? version : { ...version, hash: '', mtimeMs: 0 });
  }

  /** The known sources whose content is another one now. */
  changed(): string[] {
    return [...this.#loaded].filter(([path, version]) => isOther(path, version)).map(([path]) => path);
  }

  /** Processes load the present content from now on. */
  markLoaded(paths: readonly string[]): void {
    for (const path of paths) this.#loaded.set(path, read(path));
  }
}

function isOther(path: string, { hash, mtimeMs, size }: Version): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.mtimeMs === mtimeMs && stat.size === size) return false;
  return read(path).hash !== hash;
}

/** A file that does not exist has a version too. */
function read(path: string): Version {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { hash: 'missing', mtimeMs: 0, size: 0 };
  return { hash: createHash('sha1').update(readFileSync(path)).digest('hex'), mtimeMs: stat.mtimeMs, size: stat.size };
}

/** Several edits at once, as of a branch switch or "save all", are one change. */
const QUIET_MS = 40;
/** A folder that is written without pause is looked at nevertheless. */
const LONGEST_WAIT_MS = 300;

/**
 * Watches folders with everything below them. Each folder has a watcher of its own: Node's recursive watching on Linux
 * misses files that an editor replaces.
 * @param onChange receives the time of the first event that it reports
 * @returns how to stop
 */
export function watchFolders(roots: readonly string[], onChange: (sinceMs: number) => void): () => void {
  const watchers = new Map<string, FSWatcher>();
  let firstEventMs: number | null = null;
  let timer: NodeJS.Timeout | undefined;

  const add = (folder: string) => {
    if (watchers.has(folder)) return;
    const watcher = watch(folder, () => note());
    const forget = () => {
      watcher.close();
      watchers.delete(folder);
    };
    watchers.set(folder, watcher.on('error', forget));
  };
  const addTree = (folder: string) => {
    try {
      add(folder);
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory()) addTree(join(folder, entry.name));
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      watchers.get(folder)?.close(); // deleted meanwhile
      watchers.delete(folder);
    }
  };
  const note = () => {
    firstEventMs ??= performance.now();
    clearTimeout(timer);
    const waitMs = Math.min(QUIET_MS, firstEventMs + LONGEST_WAIT_MS - performance.now());
    timer = setTimeout(report, Math.max(0, waitMs));
  };
  const report = () => {
    const sinceMs = firstEventMs ?? performance.now();
    firstEventMs = null;
    for (const root of roots) addTree(root); // folders that are new
    onChange(sinceMs);
  };

  for (const root of roots) addTree(root);
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers.values()) watcher.close();
  };
}
