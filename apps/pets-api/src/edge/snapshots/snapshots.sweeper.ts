import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import { EdgeAcknowledgements } from '../../domains/edge-ports.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { LOG } from '../../platform/providers.js';
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
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat(EVERY_MS, () => this.sweep());
  }

  async sweep(): Promise<void> {
    await this.service.buildIfDue().catch((error: unknown) => {
      this.log.warn({ err: error }, 'snapshot of the routes not built; trying again');
    });
    await this.collection.collect();
    await this.compact();
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
