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
import { LoadingCache } from '../fairness/fair-cache.js';
import { STORAGE_TIMEOUT_MS, memoryBytes } from './limits.js';

/**
 * Finds the files of deployments. Of a large index it reads only the pages that are needed. A path that does not exist needs
 * the page that would contain it, so no number of such paths fills the cache.
 */
export class SiteIndexes {
  readonly #storage: FileStorage;
  readonly #heads = new LoadingCache<SiteIndexHead>({
    maxBytes: memoryBytes.indexHeads,
    bytesOf: ({ bytes }) => bytes.length,
  });
  readonly #pages = new LoadingCache<Buffer>({ maxBytes: memoryBytes.indexPages, bytesOf: ({ length }) => length });

  constructor(storage: FileStorage) {
    this.#storage = storage;
  }

  /** @returns the files of the deployment among the paths. @throws Error when the storage does not answer */
  async find(contentHash: string, paths: readonly string[]): Promise<SiteIndex> {
    // The limit applies to the caller only: the next request does not restart a slow read.
    const reading = this.#heads.get(contentHash, 'head', () => readSiteIndexHead(this.#storage, contentHash));
    const head = await withTimeout(reading, STORAGE_TIMEOUT_MS, 'reading the index of a deployment');
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
      withTimeout(
        readSiteIndexPage(this.#storage, head, page),
        STORAGE_TIMEOUT_MS,
        'reading the index of a deployment',
      ),
    );
  }
}
