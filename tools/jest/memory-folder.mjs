import { chmodSync, mkdirSync, readFileSync, statfsSync } from 'node:fs';
import { userInfo } from 'node:os';

const MEMORY = '/dev/shm';
/** A run of all tests keeps some hundred megabytes; what is killed leaves its own behind. */
const NEEDED_BYTES = 4 * 2 ** 30;

/**
 * Sets where tests make their folders, unless `TMPDIR` says it: in memory, if there is room and programs may run from it. Most
 * of what tests write are databases, which are made and dropped there for a twentieth of the processor time.
 */
export function useMemoryForFolders() {
  if (process.env.TMPDIR !== undefined || !isUsable()) return;
  const folder = `${MEMORY}/pets-tests-${userInfo().uid}`;
  mkdirSync(folder, { recursive: true });
  // As the usual folder: servers that tests start may run as other users.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
}

function isUsable() {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const options = mounts.find((line) => line.includes(` ${MEMORY} tmpfs `))?.split(' ')[3];
    const { bavail, bsize } = statfsSync(MEMORY);
    return options !== undefined && !options.split(',').includes('noexec') && bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}
