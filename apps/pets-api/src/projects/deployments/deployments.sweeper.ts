import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { DeploymentCollection } from './deployment-collection.service.js';

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
