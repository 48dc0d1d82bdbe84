import { Inject, Injectable } from '@nestjs/common';
import { forEachConcurrent } from '@pets/async';
import type { FileStorage, Logger } from '@pets/platform';
import { readStoredEntries } from '@pets/sites';
import { LOG, STORAGE } from '../../platform/providers.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';

/** Indexes that are read at a time: up to 720 KB each. */
const CONCURRENT_READS = 4;

/** The contents of the kept deployments of a project. */
@Injectable()
export class KeptContents {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly deployments: DeploymentsRepository,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Sizes of those contents that kept deployments have, by SHA-256. They stay stored for a day, also when the deployments are
   * collected. Secrets are left out: each deployment has to allow them.
   */
  async find(projectId: string, wanted: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    const kept = await this.deployments.listKeptHashes(projectId);
    await forEachConcurrent(kept, CONCURRENT_READS, async (contentHash) => {
      if (found.size === wanted.size) return;
      try {
        for await (const page of readStoredEntries(this.storage, contentHash))
          for (const { sha256, bytes, isSecret = false } of page)
            if (!isSecret && wanted.has(sha256)) found.set(sha256, bytes);
      } catch (error) {
        this.log.error({ err: error, projectId, contentHash }, 'earlier deployment not read; its files are sent again');
      }
    });
    return found;
  }
}
