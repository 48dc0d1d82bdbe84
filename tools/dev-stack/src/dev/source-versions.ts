import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';

type Version = { readonly hash: string; readonly mtimeMs: number; readonly size: number };

/** Which content of each source the processes have loaded. Saving a file without a change is none. */
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
