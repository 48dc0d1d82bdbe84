/**
 * Deletes the files that no kept deployment needs. A deployment is kept while it is active or among the last of its project
 * (`keptDeployments`). Otherwise these steps follow, each some time after the one before:
 *
 * 1. The transaction that uploads or activates another deployment sets it to `collected`: it cannot be activated again.
 * 2. Its bundle becomes idle, unless another kept deployment has the same files (`releaseCollected`).
 * 3. After a day the bundle is deleted, and its files become idle, unless another bundle has them (`deleteIdle`). Until then
 *    a disconnected edge may serve it.
 * 4. Idle files are marked, deleted from the storage, and then their rows are deleted (`IdleObjects`). An upload that
 *    needs a marked file waits.
 * 5. After three months the row of the deployment is deleted.
 *
 * The tables alone decide; the storage is never listed. Several replicas may sweep at the same time.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { forEachConcurrent } from '@pets/async';
import type { FileStorage, Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG, LOG, STORAGE } from '../../platform/providers.js';
import { BundlesRepository, DELETION_LIMIT_MS, StoredObjectsRepository } from './bundles.repository.js';
import { DeploymentsRepository } from './deployments.repository.js';

const CONCURRENT_DELETIONS = 16;

/** Files in the storage that no bundle has. */
@Injectable()
export class IdleObjects {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly objects: StoredObjectsRepository,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Marks files, deletes them from the storage, then their rows. @returns how many, at most `batch` */
  async delete(batch: number): Promise<number> {
    // Starts before the files are marked, so that it ends long before their lease.
    const signal = AbortSignal.timeout(DELETION_LIMIT_MS);
    const { objects, markedAt } = await this.objects.markIdle(batch);
    const deleted: bigint[] = [];
    try {
      await forEachConcurrent(objects, CONCURRENT_DELETIONS, async ({ id, key }) => {
        signal.throwIfAborted();
        await this.storage.delete(key, signal);
        deleted.push(id);
      });
    } finally {
      await this.objects.forget(deleted, markedAt);
      if (deleted.length > 0) this.log.info({ files: deleted.length }, 'stored files deleted');
    }
    return objects.length;
  }
}

const HOUR_MS = 60 * 60 * 1_000;
const ROWS_KEPT_MS = 90 * 24 * HOUR_MS;

@Injectable()
export class DeploymentCollection {
  constructor(
    private readonly bundles: BundlesRepository,
    private readonly objects: IdleObjects,
    private readonly deployments: DeploymentsRepository,
    @Inject(CONFIG) private readonly config: Pick<Config, 'EDGE_MAX_STALENESS'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Runs one batch of each step. @returns the largest number of rows of a step, at most `batch` */
  async collect(batch: number): Promise<number> {
    const released = await this.bundles.releaseCollected(batch);
    const before = new Date(this.clock().getTime() - this.graceMs);
    const idle = await this.bundles.listIdle(before, batch);
    for (const { id, organizationId } of idle) await this.bundles.deleteIdle(id, organizationId, before);
    const deleted = await this.objects.delete(batch);
    const oldRows = await this.deployments.deleteCollected(new Date(this.clock().getTime() - ROWS_KEPT_MS), batch);
    return Math.max(released, idle.length, deleted, oldRows);
  }

  /** Time for which files are kept: a day or more, and longer than a disconnected edge keeps serving. */
  private get graceMs(): number {
    return Math.max(24 * HOUR_MS, this.config.EDGE_MAX_STALENESS * 1_000 + HOUR_MS);
  }
}

const EVERY_MS = 10 * 60 * 1_000;
const BATCH = 200;
const FAILURE = 'old deployments not deleted';

/** Deletes the files that no kept deployment needs. */
@Injectable()
export class DeploymentsSweeper implements OnModuleInit {
  constructor(
    private readonly collection: DeploymentCollection,
    private readonly tasks: BackgroundTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({ everyMs: EVERY_MS, failure: FAILURE, run: () => this.sweep() });
  }

  sweep(): Promise<number> {
    return this.tasks.sweep({ batch: BATCH, failure: FAILURE, clear: (limit) => this.collection.collect(limit) });
  }
}
