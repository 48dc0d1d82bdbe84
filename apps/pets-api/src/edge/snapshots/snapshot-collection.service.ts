import { Inject, Injectable } from '@nestjs/common';
import { forEachConcurrent } from '@pets/async';
import type { FileStorage } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { STORAGE } from '../../platform/providers.js';
import { chunkKey, manifestKey } from './snapshot-keys.js';
import { SnapshotsRepository, type ExpiredSnapshot } from './snapshots.repository.js';

/** Each has up to some thousand files. */
const BATCH = 4;
const CONCURRENT_DELETIONS = 16;
const DELETION_LIMIT_MS = 60_000;

/** Deletes the files and then the rows of snapshots that nobody loads any more. Several replicas may do so together. */
@Injectable()
export class SnapshotCollection {
  constructor(
    private readonly snapshots: SnapshotsRepository,
    private readonly tasks: BackgroundTasks,
    @Inject(STORAGE) private readonly storage: FileStorage,
  ) {}

  collect(): Promise<number> {
    return this.tasks.sweep({
      batch: BATCH,
      failure: 'old snapshots of the routes not deleted',
      clear: async (limit) => {
        await this.snapshots.markExpired();
        const marked = await this.snapshots.listMarked(limit);
        for (const snapshot of marked) {
          await this.deleteFiles(snapshot);
          await this.snapshots.forget(snapshot.id);
        }
        return marked.length;
      },
    });
  }

  /** The manifest first, so that nobody begins to load what is being deleted. */
  private async deleteFiles(snapshot: ExpiredSnapshot): Promise<void> {
    const signal = AbortSignal.timeout(DELETION_LIMIT_MS);
    await this.storage.delete(manifestKey(snapshot), signal);
    const keys = Array.from({ length: snapshot.chunks }, (_, index) => chunkKey(snapshot, index));
    await forEachConcurrent(keys, CONCURRENT_DELETIONS, (key) => this.storage.delete(key, signal));
  }
}
