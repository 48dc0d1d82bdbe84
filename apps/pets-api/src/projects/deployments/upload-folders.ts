import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'pets-bundle-';

/** No upload takes so long: the server ends a request after five minutes. */
const LONGEST_MS = 60 * 60 * 1_000;

/** A folder of its own for one upload; its name says whose it is. */
export function makeUploadFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${hostname()}-${process.pid}-`));
}

export function deleteUploadFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/**
 * Deletes the folders of processes that died: those of this machine that run no more, and of others by their age, since
 * replicas may share a disk. To be called before this process has any of its own, or with a time.
 * @param isStarting whether folders in this process's name are from before its start
 * @returns how many
 */
export async function deleteAbandonedFolders(now: Date, isStarting: boolean): Promise<number> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  let deleted = 0;
  for (const name of names) {
    const folder = join(tmpdir(), name);
    const isAbandoned = hasDied(name, isStarting) || now.getTime() - (await changedAtMs(folder)) > LONGEST_MS;
    if (!isAbandoned) continue;
    await deleteUploadFolder(folder);
    deleted += 1;
  }
  return deleted;
}

function hasDied(name: string, isStarting: boolean): boolean {
  const own = `${PREFIX}${hostname()}-`;
  const pid = name.startsWith(own) ? /^(\d+)-/.exec(name.slice(own.length))?.[1] : undefined;
  if (pid === undefined) return false;
  if (Number(pid) === process.pid) return isStarting;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** One that is gone meanwhile is not old. */
async function changedAtMs(folder: string): Promise<number> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch {
    return Infinity;
  }
}
