/**
 * Registers the files of deployments, so that they are kept: of new ones before their files are written, and of those that
 * the release before has made, by their indexes. Those have their index in the form of before alone, and get the other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
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

/** Files that are being deleted are gone after seconds; where a process died meanwhile, after two minutes. */
const WAITED_MS = 30_000;
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
   * From now on nobody deletes the files. @returns the id of their bundle
   * @throws RequestError `storage_limit_reached`; `unavailable` when they are being deleted
   */
  async register(organizationId: string, contentHash: string, site: StoredSite): Promise<bigint> {
    const objects = objectsOf(site);
    const until = performance.now() + WAITED_MS;
    for (;;) {
      try {
        return await this.bundles.register(organizationId, contentHash, objects);
      } catch (error) {
        if (!(error instanceof ObjectBeingDeleted)) throw error;
        if (performance.now() > until)
          throw new RequestError('unavailable', 'Some of these files are being deleted. Send the upload again.', {
            'retry-after': '60',
          });
        await sleep(RETRY_MS);
      }
    }
  }

  /** Registers deployments of the release before. @returns how many; fewer than `limit` when there are no more */
  async registerSome(limit: number): Promise<number> {
    let registered = 0;
    for (const deployment of await this.deployments.listUnregistered(limit)) {
      try {
        await this.registerOld(deployment);
        registered += 1;
      } catch (error) {
        // Nothing is deleted while one is left, which may need any file.
        const { id: deploymentId, contentHash } = deployment;
        this.log.error({ err: error, deploymentId, contentHash }, 'a deployment was not registered');
      }
    }
    return registered;
  }

  private async registerOld({ id, organizationId, contentHash }: UnregisteredDeployment): Promise<void> {
    const site = await readStoredSite(this.storage, contentHash);
    if (site === undefined) this.log.warn({ deploymentId: id, contentHash }, 'a deployment has no index');
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
