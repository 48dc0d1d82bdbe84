import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Compression does not reduce smaller files. */
const MIN_BYTES = 256;

/** Writes a `.br` and a `.gz` for every text file of the build, so that serving needs no compression. */
export function compressAssets(folder: string): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    closeBundle: async () => {
      for (const name of await readdir(folder, { recursive: true })) {
        if (/\.(?:js|css|html|svg)$/.test(name)) await compress(join(folder, name));
      }
    },
  };
}

async function compress(path: string): Promise<void> {
  const content = await readFile(path);
  if (content.length < MIN_BYTES) return;
  await writeFile(`${path}.gz`, gzipSync(content, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  await writeFile(`${path}.br`, brotliCompressSync(content, { params }));
}
