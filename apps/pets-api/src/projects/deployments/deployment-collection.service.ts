/**
 * Deletes the files that no kept deployment needs. A deployment is kept while it is active or among the last of its project
 * (`keptDeployments`). Otherwise these steps follow, each some time after the one before:
 *
 * 1. The transaction that uploads or activates another deployment sets it to `collected`: it cannot be activated again.
 * 2. Its bundle becomes idle, unless another kept deployment has the same files (`releaseCollected`).
 * 3. After a day the bundle is deleted, and its files become idle, unless another bundle has them (`deleteIdle`). Until then
 *    a disconnected edge may serve it.
 * 4. Idle files are marked, deleted from the storage, and then their rows are deleted (`idle-objects.service.ts`). An upload that
 *    needs a marked file waits.
 * 5. After three months the row of the deployment is deleted.
 *
 * The tables alone decide; the storage is never listed. Several replicas may sweep at the same time.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG } from '../../platform/providers.js';
import { BundlesRepository } from './bundles.repository.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { IdleObjects } from './idle-objects.service.js';

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
