import type { Readable } from 'node:stream';
import { deploymentFileKey, type FileStorage } from '@pets/platform';
import { causeCode } from '../error-code.js';
import { within } from '../within.js';

const LOOK_UP_LIMIT_MS = 5_000;

export interface SiteFile {
  readonly path: string;
  readonly size: number;
  open(): Promise<Readable>;
}

/** The deployed files, found by what a request may mean. */
export class SiteFiles {
  constructor(private readonly storage: FileStorage) {}

  /**
   * The first of the candidates that exists.
   * @throws Error when the storage cannot tell
   */
  find(contentHash: string, candidates: readonly string[]): Promise<SiteFile | undefined> {
    return within(LOOK_UP_LIMIT_MS, 'looking for a deployed file', this.#find(contentHash, candidates));
  }

  async #find(contentHash: string, candidates: readonly string[]): Promise<SiteFile | undefined> {
    for (const path of candidates) {
      const key = deploymentFileKey(contentHash, path);
      if (!(await this.#exists(key))) continue;
      const { contentLength } = await this.storage.getMetaData(key);
      const open = () => within(LOOK_UP_LIMIT_MS, 'opening a deployed file', this.storage.getStream(key));
      return { path, size: contentLength, open };
    }
    return undefined;
  }

  async #exists(key: string): Promise<boolean> {
    try {
      return await this.storage.exists(key);
    } catch (error) {
      // A path below a file, or longer than any file's, is not there.
      if (['ENOTDIR', 'ENAMETOOLONG'].includes(causeCode(error))) return false;
      throw error;
    }
  }
}
