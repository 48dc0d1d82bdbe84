import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { DeploymentCollection } from './deployment-collection.service.js';
import { DeploymentRegistration } from './deployment-registration.service.js';

const EVERY_MS = 10 * 60 * 1_000;
const BATCH = 200;
const FAILURE = 'old deployments not deleted';

/** Registers the deployments of the previous release, and then deletes the files that no kept deployment needs. */
@Injectable()
export class DeploymentsSweeper implements OnModuleInit {
  constructor(
    private readonly registration: DeploymentRegistration,
    private readonly collection: DeploymentCollection,
    private readonly tasks: BackgroundTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({ everyMs: EVERY_MS, failure: FAILURE, run: () => this.sweep() });
  }

  sweep(): Promise<number> {
    return this.tasks.sweep({ batch: BATCH, failure: FAILURE, clear: (limit) => this.clear(limit) });
  }

  private async clear(limit: number): Promise<number> {
    const registered = await this.registration.registerSome(limit);
    return Math.max(registered, await this.collection.collect(limit));
  }
}
