import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { StoredSettings } from './settings.js';

const devFileSchema = z.object({ apiUrl: z.url(), apiKey: z.string(), projectId: z.string() });

/**
 * The development stack that `npm start` runs in a folder: its address and key are in `.data/dev.json` while it is up. An
 * address that is not of this machine is ignored, so that no folder can send commands to somebody else's API.
 */
export async function readDevStack(folder = '.'): Promise<StoredSettings | null> {
  try {
    const dev = devFileSchema.parse(JSON.parse(await readFile(join(folder, '.data/dev.json'), 'utf8')));
    return new URL(dev.apiUrl).hostname === '127.0.0.1' ? dev : null;
  } catch {
    return null; // no stack is up here
  }
}
