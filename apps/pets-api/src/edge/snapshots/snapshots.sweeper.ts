import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EdgeAcknowledgements } from '../../names/edge-ports.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { EndedRoutesRepository } from './ended-routes.repository.js';
import { SnapshotCollection } from './snapshot-collection.service.js';
import { SnapshotsService } from './snapshots.service.js';

const EVERY_MS = 60_000;

/** Rows that publications may have to wait for, for about 10 ms. */
const ROUTE_BATCH = 1_000;

/** Builds snapshots when they are due, deletes old ones, and then the ended routes that no edge needs any more. */
@Injectable()
export class SnapshotsSweeper implements OnModuleInit {
  constructor(
    private readonly service: SnapshotsService,
    private readonly collection: SnapshotCollection,
    private readonly endedRoutes: EndedRoutesRepository,
    private readonly acknowledgements: EdgeAcknowledgements,
    private readonly tasks: BackgroundTasks,
  ) {}

  onModuleInit(): void {
    const failure = 'snapshot of the routes not built';
    this.tasks.repeat({ everyMs: EVERY_MS, failure, run: () => this.sweep() });
  }

  /** Deletes what is old also where nothing can be built. */
  async sweep(): Promise<void> {
    try {
      await this.service.buildIfDue();
    } finally {
      await this.collection.collect();
      await this.compact();
    }
  }

  compact(): Promise<number> {
    return this.tasks.sweep({
      batch: ROUTE_BATCH,
      failure: 'ended routes not deleted',
      clear: async (limit) => {
        await this.endedRoutes.raiseHorizon(await this.acknowledgements.appliedEverywhere());
        return this.endedRoutes.deleteBelowHorizon(limit);
      },
    });
  }
}
