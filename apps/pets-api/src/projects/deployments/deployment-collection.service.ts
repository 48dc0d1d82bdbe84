/**
 * Deletes what no kept deployment needs. A deployment is kept while it is served, or one of the last of its project
 * (`keptDeployments`). What follows when it is not, each step some time after the one before:
 *
 * 1. `collected`, by the transaction that uploads or serves another one: it cannot be served again.
 * 2. Its bundle is idle, unless another kept deployment is made of the same files (`releaseCollected`).
 * 3. After a day the bundle is deleted, and its files are idle, unless another bundle has them (`deleteIdle`). Until then an
 *    edge that was cut off may serve it.
 * 4. Idle files are marked, deleted, and forgotten (`deleteObjects`). An upload that wants a marked file waits.
 * 5. After three months the row of the deployment is deleted.
 *
 * Everything is read from the tables; the storage is never listed. Several replicas may sweep at once.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { FileStorage, Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG, LOG, STORAGE } from '../../platform/providers.js';
import { BundlesRepository } from './bundles.repository.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { DELETION_LIMIT_MS, StoredObjectsRepository } from './stored-objects.repository.js';

const HOUR_MS = 60 * 60 * 1_000;
const ROWS_KEPT_MS = 90 * 24 * HOUR_MS;
const DELETED_AT_A_TIME = 16;

@Injectable()
export class DeploymentCollection {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly bundles: BundlesRepository,
    private readonly objects: StoredObjectsRepository,
    private readonly deployments: DeploymentsRepository,
    @Inject(CONFIG) private readonly config: Pick<Config, 'EDGE_MAX_STALENESS'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** One batch of each step. @returns the most that a step has done, at most `batch` */
  async collect(batch: number): Promise<number> {
    const released = await this.bundles.releaseCollected(batch);
    const before = new Date(this.clock().getTime() - this.graceMs);
    const idle = await this.bundles.listIdle(before, batch);
    for (const { id, organizationId } of idle) await this.bundles.deleteIdle(id, organizationId, before);
    // A deployment of the release before that is not registered yet may need any file.
    const isComplete = !(await this.deployments.hasUnregistered());
    const deleted = isComplete ? await this.deleteObjects(batch) : 0;
    const forgotten = await this.deployments.deleteCollected(new Date(this.clock().getTime() - ROWS_KEPT_MS), batch);
    return Math.max(released, idle.length, deleted, forgotten);
  }

  /** A day, and longer than an edge that is cut off serves what it knew. */
  private get graceMs(): number {
    return Math.max(24 * HOUR_MS, this.config.EDGE_MAX_STALENESS * 1_000 + HOUR_MS);
  }

  private async deleteObjects(batch: number): Promise<number> {
    // Counted from before they are marked, so that it is over long before the lease is.
    const signal = AbortSignal.timeout(DELETION_LIMIT_MS);
    const { objects, markedAt } = await this.objects.markIdle(batch);
    const deleted: bigint[] = [];
    const next = objects.values();
    const deleteNext = async () => {
      for (const { id, key } of next) {
        signal.throwIfAborted();
        await this.storage.delete(key, signal);
        deleted.push(id);
      }
    };
    try {
      await Promise.all(Array.from({ length: DELETED_AT_A_TIME }, deleteNext));
    } finally {
      await this.objects.forget(deleted, markedAt);
      if (deleted.length > 0) this.log.info({ files: deleted.length }, 'stored files deleted');
    }
    return objects.length;
  }
}
