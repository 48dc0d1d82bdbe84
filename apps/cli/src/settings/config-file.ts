import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { usageFailure } from '../outcome/outcome.js';
import type { Environment } from './environment.js';

const storedSettingsSchema = z.strictObject({
  apiUrl: z.string(),
  apiKey: z.string(),
  projectId: z.string().optional(),
});

/** What `pets login` keeps. */
export type StoredSettings = z.infer<typeof storedSettingsSchema>;

export function configFilePath({ XDG_CONFIG_HOME }: Environment): string {
  return join(XDG_CONFIG_HOME || join(homedir(), '.config'), 'pets', 'config.json');
}

/** Null where there is none. @throws CommandFailure `usage` where it cannot be read */
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
  // The text itself is not told: it holds the key.
  if (!parsed.success)
    throw usageFailure('invalid_config_file', `${path} is not a valid configuration file. Run pets login again.`);
  return parsed.data;
}

/** Readers see all of it or nothing. It holds a key, so it is for the owner alone. */
export async function writeConfigFile(path: string, settings: StoredSettings): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(4).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, path);
}

/** @returns whether there was one */
export async function removeConfigFile(path: string): Promise<boolean> {
  const existed = (await readFile(path).catch(() => null)) !== null;
  await rm(path, { force: true });
  return existed;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // no settings, as the schema then says
  }
}
