import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
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
