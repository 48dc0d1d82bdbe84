import { readdirSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';

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
