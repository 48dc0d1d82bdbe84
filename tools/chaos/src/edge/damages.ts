import { copyFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Random } from '../round.js';

type Damage = (path: string, random: Random) => Promise<void>;

/** Damages that may happen to a file while nobody looks. */
export const truncated: Damage = async (path, random) =>
  truncate(path, random.between(1, (await readFile(path)).length));

export const bitFlipped: Damage = async (path, random) => {
  const bytes = await readFile(path);
  const at = random.between(0, bytes.length);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << random.between(0, 8)), at);
  await writeFile(path, bytes);
};

/** The files of an edge's store: SQLite's table and its write-ahead log, which has all transactions since the table was made. */
export interface StoreFiles {
  readonly table: string;
  readonly log: string;
}

/** Damages that may happen to a part of them. */
const partDamages = {
  zeroed: (part: Buffer) => void part.fill(0),
  /** The end of a page always has content. */
  overwritten: (part: Buffer, random: Random) => {
    for (let at = Math.floor(part.length / 2); at < part.length; at++) part.writeUInt8(random.between(0, 256), at);
  },
} as const;

export type StoreDamage = 'truncated' | keyof typeof partDamages;

/** The size of a page is in the header of the table, at byte 16; in the log each page follows 24 bytes of its own (fileformat2.html). */
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** Damages the table or its log. */
export async function damageStore(files: StoreFiles, damage: StoreDamage, random: Random): Promise<void> {
  const { size: logBytes } = await stat(files.log);
  const isLog = logBytes > 0 && random.between(0, 2) === 0;
  if (!isLog) await rewriteTable(files, '');
  const path = isLog ? files.log : files.table;
  if (damage === 'truncated') return truncated(path, random);
  const bytes = await readFile(path);
  const pageBytes = (await readFile(files.table)).readUInt16BE(16);
  const [header, partBytes] = isLog ? [LOG_HEADER_BYTES, FRAME_HEADER_BYTES + pageBytes] : [0, pageBytes];
  const begin = header + partBytes * random.between(0, Math.floor((bytes.length - header) / partBytes));
  partDamages[damage](bytes.subarray(begin, begin + partBytes), random);
  await writeFile(path, bytes);
}

/** Makes one host's route another's, in a table that SQLite takes for sound. */
export async function exchangeRoutes(files: StoreFiles): Promise<void> {
  const another = 'SELECT o.route FROM routes o WHERE o.host <> routes.host ORDER BY o.host LIMIT 1';
  await rewriteTable(files, `UPDATE routes SET route = (${another})`);
}

/** Overwrites parts of both files that an edge has open. */
export async function damageOpenStore({ table, log }: StoreFiles, random: Random): Promise<void> {
  for (const path of [table, log]) {
    const bytes = await readFile(path);
    const begin = random.between(0, bytes.length);
    partDamages.overwritten(bytes.subarray(begin, begin + random.between(1, bytes.length)), random);
    await writeFile(path, bytes, { flag: 'r+' });
  }
}

/** The current files. */
export async function findStore(folder: string): Promise<StoreFiles> {
  const generation = /"generation":(\d+)/.exec(await readFile(join(folder, 'routes.current'), 'utf8'))?.[1];
  if (generation === undefined) throw new Error('the edge has no store');
  const table = join(folder, `routes-${generation}.db`);
  return { table, log: `${table}-wal` };
}

/** One of the edge's certificate files. */
export async function findCertificate(dataFolder: string, random: Random): Promise<string> {
  const folder = join(dataFolder, 'cache', 'certificates');
  const paths = (await readdir(folder, { recursive: true })).filter((path) => /^[0-9a-f]{2}\/./.test(path));
  return join(folder, random.pick(paths.toSorted()));
}

/**
 * Changes the table, and leaves it without unused pages, whose damage would be none, and with an empty log. In another folder:
 * SQLite resolves symbolic links, so it does not find a disk that only other processes see.
 */
async function rewriteTable({ table, log }: StoreFiles, statement: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-chaos-'));
  try {
    const copy = join(folder, 'table');
    await copyFile(table, copy);
    await copyFile(log, `${copy}-wal`);
    const db = new DatabaseSync(copy);
    try {
      db.exec(`${statement}; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)`);
    } finally {
      db.close();
    }
    await copyFile(copy, table);
    await truncate(log);
  } finally {
    await rm(folder, { recursive: true });
  }
}
