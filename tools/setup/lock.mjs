/**
 * One set-up at a time: who wants to install or build makes the folder `.install`, which has the number of its process and
 * whatever it stages. A folder that a process left when it was killed is deleted by the next.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './projects.mjs';

const lockFolder = join(root, '.install');
const ownerFile = join(lockFolder, 'pid');

/**
 * Folder in which an install is staged: on the same file system as what it replaces, and not where npm of a killed
 * set-up writes on.
 */
export const stagingFolder = join(lockFolder, String(process.pid));

const WAIT_MS = 500;
/** A folder without a number is young, or its maker was killed at once. */
const UNOWNED_LIMIT = 4;

/** @param {(line: string) => void} say */
export async function withLock(say, work) {
  let unowned = 0;
  for (let told = false; !tryToOwn();) {
    const owner = readOwner();
    unowned = owner === null ? unowned + 1 : 0;
    if (owner === null ? unowned > UNOWNED_LIMIT : !isSetup(owner)) {
      rmSync(lockFolder, { recursive: true, force: true });
      continue;
    }
    if (!told && owner !== null) say(`waiting for the set-up that process ${owner} is doing`);
    told ||= owner !== null;
    await sleep(WAIT_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lockFolder, { recursive: true, force: true });
  }
}

function tryToOwn() {
  try {
    mkdirSync(lockFolder);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(ownerFile, String(process.pid));
  return true;
}

function readOwner() {
  if (!existsSync(ownerFile)) return null;
  const pid = Number(readFileSync(ownerFile, 'utf8'));
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
}

/** Whether that process lives, and is not another one that got its number. */
function isSetup(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
  }
  const commandLine = `/proc/${pid}/cmdline`;
  return (
    !existsSync('/proc/self') || (existsSync(commandLine) && readFileSync(commandLine, 'utf8').includes('setup.mjs'))
  );
}
