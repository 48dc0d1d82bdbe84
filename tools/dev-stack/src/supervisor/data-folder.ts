import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const FORMAT_FILE = 'format';
/** The layout of the folder and the schema in it, since 1.0. */
const FORMAT = '1';
/** Each stack writes these in its first seconds. */
const FIRST_FILES = ['secrets', 'dev-ca', 'postgres'];

/**
 * Whether a stack of this format wrote into DATA_DIR. Changes nothing.
 * @throws Error with the folder and the remedy, if a stack of another format did
 */
export async function isOwnDataFolder(folder: string): Promise<boolean> {
  const found = await readFile(join(folder, FORMAT_FILE), 'utf8').catch(() => undefined);
  if (found?.trim() === FORMAT) return true;
  if (found === undefined && !FIRST_FILES.some((name) => existsSync(join(folder, name)))) return false;
  const writer = found === undefined ? 'a version before 1.0' : 'a newer version';
  throw new Error(
    `DATA_DIR: ${folder} was written by ${writer}, and this one cannot read it: move it away, or set DATA_DIR to another folder`,
  );
}

/** Writes the format, before anything else is in the folder. */
export async function claimDataFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, FORMAT_FILE), `${FORMAT}\n`, { mode: 0o600 });
}
