import { z } from 'zod';
import { readWhole, type FileStorage } from './file-storage.js';

/** How deployments lie in the storage: each content once, and a list of paths for each deployment. */

export interface SiteEntry {
  /** Hexadecimal, of the content. */
  readonly sha256: string;
  readonly bytes: number;
}

/** A deployment's files by path: relative, with `/`, in Unicode form NFC. */
export type SiteIndex = ReadonlyMap<string, SiteEntry>;

const hexadecimal = /^[0-9a-f]+$/;

const storedIndexSchema = z.object({
  version: z.literal(1),
  files: z.array(z.tuple([z.string(), z.string().length(64).regex(hexadecimal), z.int().nonnegative()])),
});

/** Where a content is kept, whichever deployments have it, under whatever names. */
export function contentKey(sha256: string): string {
  return `contents/${sha256.slice(0, 2)}/${sha256}`;
}

/** Written last: a deployment without it is none. */
export async function writeSiteIndex(storage: FileStorage, contentHash: string, index: SiteIndex): Promise<void> {
  const files = [...index].map(([path, { sha256, bytes }]) => [path, sha256, bytes] as const);
  await storage.write(indexKey(contentHash), JSON.stringify({ version: 1, files }));
}

/** @throws Error when there is none, or it cannot be read */
export async function readSiteIndex(storage: FileStorage, contentHash: string): Promise<SiteIndex> {
  const key = indexKey(contentHash);
  const bytes = await storage.find(key);
  if (bytes === undefined) throw new Error(`there is no deployment ${contentHash} in the storage`);
  const text = (await readWhole(await storage.read(key), bytes)).toString();
  const { files } = storedIndexSchema.parse(JSON.parse(text));
  return new Map(files.map(([path, sha256, size]) => [path, { sha256, bytes: size }]));
}

function indexKey(contentHash: string): string {
  if (!hexadecimal.test(contentHash)) throw new Error('a content hash is hexadecimal');
  return `sites/${contentHash}.json`;
}
