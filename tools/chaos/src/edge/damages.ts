import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../random.js';

/** What may have become of a file while nobody looked. */
export const damages = {
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

export type Damage = keyof typeof damages;

export function snapshotPath(dataFolder: string): string {
  return join(dataFolder, 'snapshot.json');
}

/** One of the edge's certificate files. */
export async function certificatePath(dataFolder: string, random: Random): Promise<string> {
  const folder = join(dataFolder, 'cache', 'certificates');
  const paths = (await readdir(folder, { recursive: true })).filter((path) => /^[0-9a-f]{2}\/./.test(path));
  return join(folder, random.pick(paths.toSorted()));
}
