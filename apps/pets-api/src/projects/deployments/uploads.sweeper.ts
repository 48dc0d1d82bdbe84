import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import type { FileStorage, Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, LOG, STORAGE } from '../../platform/providers.js';
import { deleteAbandonedFolders } from './upload-folders.js';
import { UploadSlots } from './upload-slots.js';

const EVERY_MS = 10 * 60 * 1_000;
const BATCH = 1_000;
const FAILURE = 'leftovers of interrupted uploads not deleted';

/** Writing one file takes seconds. */
const ABANDONED_AFTER_MS = 60 * 60 * 1_000;

/** Deletes the leftovers of interrupted uploads: temporary folders (also at start), unfinished objects, and rows. */
@Injectable()
export class UploadsSweeper implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly slots: UploadSlots,
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly tasks: BackgroundTasks,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({ everyMs: EVERY_MS, failure: FAILURE, run: () => this.sweep() });
  }

  sweep(): Promise<number> {
    return this.tasks.sweep({ batch: BATCH, failure: FAILURE, clear: (limit) => this.clear(limit) });
  }

  async onApplicationBootstrap(): Promise<void> {
    try {
      // Tests run several APIs in one process: only the first may treat folders with its process id as old.
      await deleteAbandonedFolders(this.clock(), !hasStarted);
      hasStarted = true;
    } catch (error) {
      this.log.warn({ err: error }, FAILURE);
    }
  }

  private async clear(limit: number): Promise<number> {
    await deleteAbandonedFolders(this.clock(), false);
    await this.storage.deleteAbandoned(new Date(this.clock().getTime() - ABANDONED_AFTER_MS));
    return this.slots.deleteExpired(limit);
  }
}

let hasStarted = false;
