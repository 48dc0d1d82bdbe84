import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { usageFailure } from '../outcome/outcome.js';
import { storedSettingsSchema, type Environment, type StoredSettings } from './settings.js';

export function configFilePath({ XDG_CONFIG_HOME }: Environment): string {
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'pets', 'config.json');
}

/** Null when there is no file. @throws CommandFailure `usage` when it cannot be read */
export async function readConfigFile(path: string): Promise<StoredSettings | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw usageFailure('invalid_config_file', `${path} cannot be read: ${String(code)}.`);
  }
  const parsed = storedSettingsSchema.safeParse(parseJson(text));
  // The message must not quote the file, which contains the key.
  if (!parsed.success)
    throw usageFailure('invalid_config_file', `${path} is not a valid configuration file. Run pets login again.`);
  return parsed.data;
}

/** Replaces the file atomically. Only the owner can read it, because it contains a key. */
export async function writeConfigFile(path: string, settings: StoredSettings): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, path);
}

/** @returns whether the file existed */
export async function removeConfigFile(path: string): Promise<boolean> {
  const existed = (await readFile(path).catch(() => null)) !== null;
  await rm(path, { force: true });
  return existed;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // the schema rejects it
  }
}

const devFileSchema = z.object({ apiUrl: z.url(), apiKey: z.string(), projectId: z.string() });

/** A development stack that is up, and its data folder. */
interface DevStack extends StoredSettings {
  readonly folder: string;
}

/**
 * The development stack of a folder, or of the nearest one above it. Null where none is up.
 * @param dataFolder the DATA_DIR that the stack was started with
 */
export async function findDevStack(dataFolder: string | undefined, start = '.'): Promise<DevStack | null> {
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const stack = await readDevStack(resolve(folder, dataFolder || '.data'));
    if (stack !== null || folder === dirname(folder)) return stack;
  }
}

/**
 * Reads the address and key in `dev.json` of the data folder, which exists while the stack is up. A file of another
 * user and an address of another machine are ignored, so that no folder can send commands to somebody else's API.
 */
async function readDevStack(folder: string): Promise<DevStack | null> {
  try {
    const { apiUrl, apiKey, projectId } = devFileSchema.parse(JSON.parse(await readOwnFile(join(folder, 'dev.json'))));
    return new URL(apiUrl).hostname === '127.0.0.1' ? { apiUrl, apiKey, projectId, folder } : null;
  } catch {
    return null; // no stack is up here
  }
}

/** @throws Error for a file that another user can have written */
async function readOwnFile(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { uid, mode } = await file.stat();
    // Windows has no user ids, and its home folders are not shared.
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0))
      throw new Error('another user can have written it');
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
