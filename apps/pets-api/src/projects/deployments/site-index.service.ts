import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { forEachConcurrent } from '@pets/async';
import type { FileStorage, Logger } from '@pets/platform';
import {
  chooseFreshness,
  findInStoredSite,
  freshnessOfName,
  type ListedFile,
  type SiteEntry,
  type SiteIndex,
} from '@pets/sites';
import { LOG, STORAGE } from '../../platform/providers.js';
import { DeploymentsRepository } from './deployments.repository.js';

/** Indexes of earlier deployments that are read at a time: up to 720 KB each, in pages. */
const CONCURRENT_READS = 8;

/** A file of a new deployment. */
export interface SiteFile extends ListedFile {
  /** Whether it was allowed, and would have been refused for its content. */
  readonly isSecret: boolean;
}

/** An index before it is written. */
export interface NewIndex {
  /** The name of the index. It differs from `filesHash` if earlier deployments decided how long a file is fresh. */
  readonly contentHash: string;
  readonly files: SiteIndex;
}

/**
 * Builds the index of a new deployment, with the time for which browsers may keep each file: by its name, and by what the kept
 * deployments of the project have at its path. Two uploads at the same time do not see each other.
 */
@Injectable()
export class SiteIndexBuilder {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly deployments: DeploymentsRepository,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * @param files that visitors get
   * @param filesHash of all files of the bundle
   */
  async build(projectId: string, files: readonly SiteFile[], filesHash: string): Promise<NewIndex> {
    const hashed = files.map(({ path }) => path).filter((path) => freshnessOfName(path) !== 'revalidated');
    const earlier = hashed.length === 0 ? new Map<string, SiteEntry[]>() : await this.readEarlier(projectId, hashed);
    const index = files.map(({ path, sha256, bytes, isSecret }): [string, SiteEntry] => {
      // What cannot be read may have been something else.
      const freshness = earlier === null ? 'revalidated' : chooseFreshness(path, sha256, earlier.get(path));
      return [path, { sha256, bytes, freshness, isSecret }];
    });
    return { contentHash: hashIndex(filesHash, index), files: new Map(index) };
  }

  /** The entries of some paths in the kept deployments of the project; null if an index cannot be read. */
  private async readEarlier(
    projectId: string,
    paths: readonly string[],
  ): Promise<ReadonlyMap<string, readonly SiteEntry[]> | null> {
    const found = new Map<string, SiteEntry[]>();
    const kept = await this.deployments.listKeptHashes(projectId);
    try {
      await forEachConcurrent(kept, CONCURRENT_READS, async (contentHash) => {
        for (const [path, entry] of await findInStoredSite(this.storage, contentHash, paths)) {
          const entries = found.get(path);
          if (entries === undefined) found.set(path, [entry]);
          else entries.push(entry);
        }
      });
      return found;
    } catch (error) {
      this.log.error({ err: error, projectId }, 'earlier deployments not read; browsers revalidate every file');
      return null;
    }
  }
}

function hashIndex(filesHash: string, index: readonly (readonly [string, SiteEntry])[]): string {
  const decided = index.filter(([path, { freshness }]) => freshness !== freshnessOfName(path));
  if (decided.length === 0) return filesHash;
  const hash = createHash('sha256').update(filesHash);
  for (const [path, { freshness }] of decided.sort(([a], [b]) => (a < b ? -1 : 1)))
    hash.update(`\n${path}\0${freshness}`);
  return hash.digest('hex');
}
