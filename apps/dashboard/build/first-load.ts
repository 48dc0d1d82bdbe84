import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Limit of what a page loads at first. */
interface Limit {
  readonly page: string;
  /** Size of its scripts, compressed. */
  readonly bytes: number;
  readonly compress: (content: Buffer) => Buffer;
}

const limits: readonly Limit[] = [
  { page: 'index.html', bytes: 200_000, compress: (content) => gzipSync(content, { level: 9 }) },
  // The element `<pets-domain-setup>` with the forms of all providers, and the page around it.
  { page: 'setup.html', bytes: 25 * 1024, compress: (content) => brotliCompressSync(content) },
];

/** The scripts in the HTML of a build: the entry and its static imports. */
async function measureFirstLoad(folder: string, { page, compress }: Limit) {
  const html = await readFile(join(folder, page), 'utf8');
  const named = [...html.matchAll(/(?:src|href)="\/dashboard\/(assets\/[^"]+\.js)"/g)];
  const files = [...new Set(named.flatMap(([, file]) => (file === undefined ? [] : [file])))];
  let bytes = 0;
  for (const file of files) bytes += compress(await readFile(join(folder, file))).length;
  return { files, bytes };
}

/** Fails the build when a first visit of a page would load more script than its limit. */
export function limitFirstLoad(folder: string): Plugin {
  return {
    name: 'limit-first-load',
    apply: 'build',
    // Not `closeBundle`, which is called for a failed build too and would hide its error.
    writeBundle: async () => {
      for (const limit of limits) {
        const { files, bytes } = await measureFirstLoad(folder, limit);
        if (files.length === 0) throw new Error(`the built page ${limit.page} loads no script`);
        if (bytes > limit.bytes)
          throw new Error(
            `a first visit of ${limit.page} would load ${bytes} bytes of script; the limit is ${limit.bytes}`,
          );
      }
    },
  };
}
