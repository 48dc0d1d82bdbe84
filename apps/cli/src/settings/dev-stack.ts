import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import type { StoredSettings } from './settings.js';

const devFileSchema = z.object({ apiUrl: z.url(), apiKey: z.string(), projectId: z.string() });

/** A development stack that is up, and its data folder. */
export interface DevStack extends StoredSettings {
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
 * Its address and key are in `dev.json` of the data folder while it is up. A file of another user and an address of another machine are
 * ignored, so that no folder can send commands to somebody else's API.
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
