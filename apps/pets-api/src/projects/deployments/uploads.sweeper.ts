import { Inject, Injectable } from '@nestjs/common';
import type { FileStorage, Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, LOG, STORAGE } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { Sweeper } from '../../platform/sweeper.js';
import { deleteAbandonedFolders } from './upload-folders.js';
import { UploadSlots } from './upload-slots.js';

const settings = {
  everyMs: 10 * 60 * 1_000,
  batch: 1_000,
  failure: 'what killed processes left of uploads was not deleted',
} as const;

/** Writing one file takes seconds. */
const ABANDONED_AFTER_MS = 60 * 60 * 1_000;

/** Deletes what processes that died have left of uploads: temporary folders, also at the start, and rows. */
@Injectable()
export class UploadsSweeper extends Sweeper {
  constructor(
    private readonly slots: UploadSlots,
    @Inject(STORAGE) private readonly storage: FileStorage,
    shuttingDown: ShuttingDown,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly logger: Logger,
  ) {
    super(settings, shuttingDown, logger);
  }

  override async onApplicationBootstrap(): Promise<void> {
    try {
      // Several APIs in one process, as tests have them, must not take each other's for old ones.
      await deleteAbandonedFolders(this.clock(), !hasStarted);
      hasStarted = true;
    } catch (error) {
      this.logger.warn({ err: error }, settings.failure);
    }
    await super.onApplicationBootstrap();
  }

  protected async sweepSome(batch: number): Promise<number> {
    await deleteAbandonedFolders(this.clock(), false);
    await this.storage.deleteAbandoned(new Date(this.clock().getTime() - ABANDONED_AFTER_MS));
    return this.slots.deleteExpired(batch);
  }
}

let hasStarted = false;
