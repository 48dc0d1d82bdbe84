/**
 * Registers the files of deployments, so that they are kept: those of a new deployment before they are written, and those of
 * deployments of the previous release from their stored index.
 */
import { Inject, Injectable } from '@nestjs/common';
import { retry } from '@pets/async';
import type { Database } from '@pets/persistence';
import {
  contentKey,
  RequestError,
  readStoredSite,
  type FileStorage,
  type Logger,
  type StoredSite,
} from '@pets/platform';
import { DATABASE, LOG, STORAGE } from '../../platform/providers.js';
import { BundlesRepository, ObjectBeingDeleted, type WantedObject } from './bundles.repository.js';
import { DeploymentsRepository, type UnregisteredDeployment } from './deployments.repository.js';

/** A deletion takes seconds, or two minutes when its process died. */
const MAX_WAIT_MS = 30_000;
const RETRY_MS = 500;

@Injectable()
export class DeploymentRegistration {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    @Inject(DATABASE) private readonly db: Database,
    private readonly bundles: BundlesRepository,
    private readonly deployments: DeploymentsRepository,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Protects the files from deletion.
   * @param name by what the bundle is known
   * @returns the id of the bundle
   * @throws RequestError `storage_limit_reached`; `unavailable` when they are being deleted
   */
  async register(organizationId: string, name: string, site: StoredSite): Promise<bigint> {
    const objects = objectsOf(site);
    const until = performance.now() + MAX_WAIT_MS;
    const nextDelayMs = (_failures: number, error: unknown) =>
      error instanceof ObjectBeingDeleted && performance.now() <= until ? RETRY_MS : null;
    try {
      return await retry(() => this.bundles.register(organizationId, name, objects), { nextDelayMs });
    } catch (error) {
      if (!(error instanceof ObjectBeingDeleted)) throw error;
      throw new RequestError('unavailable', 'Some of these files are being deleted. Send the upload again.', {
        'retry-after': '60',
      });
    }
  }

  /** Registers deployments of the previous release. @returns how many; fewer than `limit` when there are no more */
  async registerSome(limit: number): Promise<number> {
    let registered = 0;
    for (const deployment of await this.deployments.listUnregistered(limit)) {
      try {
        await this.registerStored(deployment);
        registered += 1;
      } catch (error) {
        // No file is deleted while an unregistered deployment is left, which may need any file.
        const { id: deploymentId, contentHash } = deployment;
        this.log.error({ err: error, deploymentId, contentHash }, 'deployment not registered');
      }
    }
    return registered;
  }

  private async registerStored({ id, organizationId, contentHash }: UnregisteredDeployment): Promise<void> {
    const site = await readStoredSite(this.storage, contentHash);
    if (site === undefined) this.log.warn({ deploymentId: id, contentHash }, 'deployment has no index');
    const objects = site === undefined ? [] : objectsOf(site);
    const bundleId = await this.bundles.register(organizationId, contentHash, objects, false);
    await this.db.transaction().execute(async (tx) => {
      await this.bundles.keep(tx, bundleId);
      await this.deployments.setBundle(tx, id, bundleId);
    });
  }
}

function objectsOf({ entries, indexes }: StoredSite): WantedObject[] {
  const contents = new Map(entries.map(({ sha256, bytes }) => [contentKey(sha256), bytes]));
  return [...[...contents].map(([key, bytes]) => ({ key, bytes })), ...indexes];
}
