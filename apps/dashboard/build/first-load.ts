import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** The limit for the scripts of a first visit, compressed with gzip. */
const FIRST_LOAD_LIMIT_BYTES = 200_000;

/** The scripts in the HTML of a build: the entry and its static imports. */
async function measureFirstLoad(folder: string): Promise<{ files: readonly string[]; bytes: number }> {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const named = [...page.matchAll(/(?:src|href)="\/dashboard\/(assets\/[^"]+\.js)"/g)];
  const files = [...new Set(named.flatMap(([, file]) => (file === undefined ? [] : [file])))];
  let bytes = 0;
  for (const file of files) bytes += gzipSync(await readFile(join(folder, file)), { level: 9 }).length;
  return { files, bytes };
}

/** Fails the build when a first visit would load more script than the limit. */
export function limitFirstLoad(folder: string): Plugin {
  return {
    name: 'limit-first-load',
    apply: 'build',
    // Not `closeBundle`, which is called for a failed build too and would hide its error.
    writeBundle: async () => {
      const { files, bytes } = await measureFirstLoad(folder);
      if (files.length === 0) throw new Error('the built page loads no script');
      if (bytes > FIRST_LOAD_LIMIT_BYTES) {
        throw new Error(`a first visit would load ${bytes} bytes of script; the limit is ${FIRST_LOAD_LIMIT_BYTES}`);
      }
    },
  };
}
