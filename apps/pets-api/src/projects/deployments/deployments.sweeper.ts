import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import { LOG } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { Sweeper } from '../../platform/sweeper.js';
import { DeploymentCollection } from './deployment-collection.service.js';
import { DeploymentRegistration } from './deployment-registration.service.js';

const settings = {
  everyMs: 10 * 60 * 1_000,
  batch: 200,
  failure: 'deployments that are not kept were not deleted',
} as const;

/** Registers what the release before has deployed, and then deletes what no kept deployment needs. */
@Injectable()
export class DeploymentsSweeper extends Sweeper {
  constructor(
    private readonly registration: DeploymentRegistration,
    private readonly collection: DeploymentCollection,
    shuttingDown: ShuttingDown,
    @Inject(LOG) log: Logger,
  ) {
    super(settings, shuttingDown, log);
  }

  protected async sweepSome(batch: number): Promise<number> {
    const registered = await this.registration.registerSome(batch);
    return Math.max(registered, await this.collection.collect(batch));
  }
}
