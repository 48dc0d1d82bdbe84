import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks } from '../platform/background-tasks.js';
import type { Clock } from '../platform/clock.js';
import { CLOCK } from '../platform/providers.js';
import { UnusedKeysRepository, unusedSources, type UnusedSource } from './unused-keys.repository.js';

const HOUR_MS = 60 * 60 * 1_000;

const BATCH = 500;

const FAILURE = 'unused keys not deleted';

/** Leaves time for edges that are behind, and for late results. */
const GRACE_MS = 24 * HOUR_MS;

/**
 * Deletes unused keys of orders, with their signing requests: of attempts that failed or never reported, of replaced
 * certificates, and of removed domains. The rows stay for the limits of the CAs. The object in the storage follows
 * (`certificate-objects.service.ts`).
 */
@Injectable()
export class UnusedKeysSweeper implements OnModuleInit {
  constructor(
    private readonly keys: UnusedKeysRepository,
    private readonly tasks: BackgroundTasks,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({ everyMs: HOUR_MS, failure: FAILURE, run: () => this.sweep() });
  }

  /** @returns how many keys were deleted */
  async sweep(): Promise<number> {
    const before = new Date(this.clock().getTime() - GRACE_MS);
    let deleted = await this.tasks.sweep({
      batch: BATCH,
      failure: FAILURE,
      clear: async (limit) => this.deleteKeys(await this.keys.listUnissued(before, limit)),
    });
    for (const source of unusedSources) deleted += await this.sweepIssued(source, before);
    return deleted;
  }

  /** The position moves after the keys are deleted: if the process dies here, the next sweep reads the page again. */
  private async sweepIssued(source: UnusedSource, before: Date): Promise<number> {
    let deleted = 0;
    let start: string | null = null;
    await this.tasks.sweep({
      batch: BATCH,
      failure: FAILURE,
      clear: async (limit) => {
        start ??= await this.keys.findStart(source);
        const { keys, read, readUntil } = await this.keys.readPage(source, start, before, limit);
        deleted += await this.deleteKeys(keys);
        if (readUntil !== null) {
          await this.keys.savePosition(source, readUntil);
          start = readUntil;
        }
        return read;
      },
    });
    return deleted;
  }

  private async deleteKeys(ids: readonly string[]): Promise<number> {
    await this.keys.deleteKeys(ids);
    return ids.length;
  }
}
