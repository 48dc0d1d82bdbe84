/** The thread of site-index-conversion.ts. */
import { extname } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { z } from 'zod';
import type { Conversion } from './site-index-conversion.js';

// In tests, threads do not have the loader that maps `.js` to a TypeScript source.
const extension = extname(new URL(import.meta.url).pathname);
const encoding = (await import(
  new URL(`./site-index-encoding${extension}`, import.meta.url).href
)) as typeof import('./site-index-encoding.js');

const oldIndexSchema = z.object({
  version: z.literal(1),
  files: z.array(
    z.tuple([
      z.string(),
      z
        .string()
        .length(64)
        .regex(/^[0-9a-f]+$/),
      z.int().nonnegative(),
    ]),
  ),
});

parentPort?.on('message', ({ contentHash, text }: { contentHash: string; text: Uint8Array }) => {
  const conversion = convert(contentHash, text);
  parentPort?.postMessage(conversion, 'index' in conversion ? [conversion.index.buffer] : []);
});

function convert(contentHash: string, text: Uint8Array): Conversion {
  try {
    const { files } = oldIndexSchema.parse(JSON.parse(Buffer.from(text).toString()));
    const index = new Map(files.map(([path, sha256, bytes]) => [path, { sha256, bytes }]));
    return { index: encoding.encodeSiteIndex(contentHash, index) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
