import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { waitUntil } from '../processes/wait-until.js';

/**
 * Makes sure that no server works on the cluster, and answers the process id in a lock file that was left behind by a
 * server that was killed. The file itself stays: PostgreSQL needs it to see whether the shared memory named in it is
 * still in use.
 * @throws Error when a server is running on it
 */
export async function assertClusterIdle(cluster: string): Promise<number | undefined> {
  const locked = lockedBy(cluster);
  if (locked !== undefined && isServerOf(locked, cluster)) {
    throw new Error(
      `PostgreSQL (process ${locked}) is already running on ${cluster}: stop what started it, or set DATA_DIR to another folder`,
    );
  }
  // Backends of a server that was killed notice within moments; a new server must not start beside them.
  await waitUntil(() => !isInUse(cluster), {
    timeoutMs: 10_000,
    message: `the last backends of a killed PostgreSQL to leave ${cluster}`,
  });
  return locked;
}

/** Whether any process of a server, or what is left of one, works in the cluster's folder. */
export function isInUse(cluster: string): boolean {
  return serverProcesses(cluster).length > 0;
}

function lockedBy(cluster: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined; // no lock file: it was stopped in order
  }
}

/** The process id may by now belong to anybody, for instance after a reboot. */
function isServerOf(pid: number, cluster: string): boolean {
  if (process.platform === 'linux') return workingFolder(pid) === cluster && !isZombie(pid);
  const { stdout } = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8', timeout: 5_000 });
  return stdout.includes(cluster);
}

/** Every PostgreSQL process stands in its cluster's folder. */
function serverProcesses(cluster: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => workingFolder(pid) === cluster && !isZombie(pid));
}

function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined; // gone, or another user's
  }
}

function isZombie(pid: number): boolean {
  try {
    return /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return true;
  }
}
