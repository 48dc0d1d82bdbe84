import { Injectable } from '@nestjs/common';
import { retry } from '@pets/async';
import { RequestError } from '@pets/platform';
import { BundlesRepository, ObjectBeingDeleted, type WantedObject } from './bundles.repository.js';

/** A deletion takes seconds, or two minutes when its process died. */
const MAX_WAIT_MS = 30_000;
const RETRY_MS = 500;

/** Registers the files of a deployment before they are written, so that they are kept. */
@Injectable()
export class DeploymentRegistration {
  constructor(private readonly bundles: BundlesRepository) {}

  /**
   * Protects the files from deletion.
   * @param contentHash the name of the index
   * @returns the id of the bundle
   * @throws RequestError `storage_limit_reached`; `unavailable` when they are being deleted
   */
  async register(organizationId: string, contentHash: string, objects: readonly WantedObject[]): Promise<bigint> {
    const until = performance.now() + MAX_WAIT_MS;
    const nextDelayMs = (_failures: number, error: unknown) =>
      error instanceof ObjectBeingDeleted && performance.now() <= until ? RETRY_MS : null;
    try {
      return await retry(() => this.bundles.register(organizationId, contentHash, objects), { nextDelayMs });
    } catch (error) {
      if (!(error instanceof ObjectBeingDeleted)) throw error;
      throw new RequestError('unavailable', 'Some of these files are being deleted. Send the upload again.', {
        'retry-after': '60',
      });
    }
  }
}
