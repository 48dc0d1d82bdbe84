import { withTimeout } from '@pets/async';
import {
  findInPage,
  findPage,
  hashPath,
  pageInHead,
  readSiteIndexHead,
  readSiteIndexPage,
  type FileStorage,
  type SiteEntry,
  type SiteIndex,
  type SiteIndexHead,
} from '@pets/platform';
import { LruCache } from './lru-cache.js';
import { LOOK_UP_LIMIT_MS, memoryBytes } from './limits.js';

/**
 * Which files a deployment has. Of a large index only the pages are read that are asked about; a path that does not exist
 * costs the page on which it would be, so that no number of them fills the cache.
 */
export class SiteIndexes {
  readonly #heads = new LruCache<SiteIndexHead>({
    maxBytes: memoryBytes.indexHeads,
    bytesOf: ({ bytes }) => bytes.length,
  });
  readonly #pages = new LruCache<Buffer>({ maxBytes: memoryBytes.indexPages, bytesOf: ({ length }) => length });

  constructor(private readonly storage: FileStorage) {}

  /** Those of the paths that the deployment has. @throws Error when the storage cannot tell */
  async find(contentHash: string, paths: readonly string[]): Promise<SiteIndex> {
    // The limit is for who waits: converting an old index may take longer, and is not begun again by the next request.
    const reading = this.#heads.get(contentHash, 'head', () => readSiteIndexHead(this.storage, contentHash));
    const head = await withTimeout(reading, LOOK_UP_LIMIT_MS, 'reading the index of a deployment');
    const entries = await Promise.all(paths.map(async (path) => [path, await this.#findIn(head, path)] as const));
    return new Map(entries.filter((found): found is readonly [string, SiteEntry] => found[1] !== undefined));
  }

  async #findIn(head: SiteIndexHead, path: string): Promise<SiteEntry | undefined> {
    const pathHash = hashPath(path);
    const page = findPage(head, pathHash);
    if (page === undefined) return undefined;
    return findInPage(pageInHead(head, page) ?? (await this.#readPage(head, page)), pathHash);
  }

  #readPage(head: SiteIndexHead, page: number): Promise<Buffer> {
    return this.#pages.get(head.contentHash, String(page), () =>
      withTimeout(readSiteIndexPage(this.storage, head, page), LOOK_UP_LIMIT_MS, 'reading the index of a deployment'),
    );
  }
}
