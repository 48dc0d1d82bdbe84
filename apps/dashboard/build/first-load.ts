import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** The most script that a first visit may load, compressed as every browser can take it. */
export const FIRST_LOAD_LIMIT_BYTES = 200_000;

/** What the page of a build names as script: its entry, and what that imports at once. */
export async function measureFirstLoad(folder: string): Promise<{ files: readonly string[]; bytes: number }> {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="\/dashboard\/(assets\/[^"]+\.js)"/g)];
  const files = [...new Set(named.flatMap(([, file]) => (file === undefined ? [] : [file])))];
  let bytes = 0;
  for (const file of files) bytes += gzipSync(await readFile(join(folder, file)), { level: 9 }).length;
  return { files, bytes };
}
