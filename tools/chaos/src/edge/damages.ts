import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Random } from '../random.js';

/** What may have become of a file while nobody looked. */
export const fileDamages = {
  truncated: async (path: string, random: Random) => truncate(path, random.between(1, (await readFile(path)).length)),
  'bit-flipped': async (path: string, random: Random) => {
    const bytes = await readFile(path);
    const at = random.between(0, bytes.length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.between(0, 8)), at);
    await writeFile(path, bytes);
  },
  empty: (path: string) => writeFile(path, ''),
  'of-another-version': (path: string) => writeFile(path, JSON.stringify({ format: 99, hosts: {} })),
} as const satisfies Record<string, (path: string, random: Random) => Promise<void>>;

/**
 * What may have become of the edge's route table. Without its write-ahead log, from which SQLite would restore it. A flipped bit
 * may be in a part of the file that nobody reads.
 */
export const tableDamages = {
  truncated: async (path: string, random: Random) => {
    await deleteLog(path);
    await fileDamages.truncated(path, random);
  },
  empty: (path: string) => fileDamages.empty(path),
  'of-another-version': async (path: string) => {
    await deleteLog(path);
    await fileDamages['of-another-version'](path);
  },
  changed: (path: string) => {
    const table = new DatabaseSync(path);
    table.exec(`UPDATE routes SET route = replace(route, '"contentHash":"', '"contentHash":"0')`);
    table.close();
    return Promise.resolve();
  },
} as const satisfies Record<string, (path: string, random: Random) => Promise<void>>;

async function deleteLog(table: string): Promise<void> {
  await Promise.all(['-wal', '-shm'].map((suffix) => rm(table + suffix, { force: true })));
}

/** The edge's current route table. */
export async function tablePath(dataFolder: string): Promise<string> {
  const names = (await readdir(dataFolder)).filter((name) => /^routes-\d+\.db$/.test(name));
  const [name, ...others] = names;
  if (name === undefined || others.length > 0) throw new Error(`${names.length} route tables in ${dataFolder}`);
  return join(dataFolder, name);
}

/** One of the edge's certificate files. */
export async function certificatePath(dataFolder: string, random: Random): Promise<string> {
  const folder = join(dataFolder, 'cache', 'certificates');
  const paths = (await readdir(folder, { recursive: true })).filter((path) => /^[0-9a-f]{2}\/./.test(path));
  return join(folder, random.pick(paths.toSorted()));
}
