import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import type { FileStorage, Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, LOG, STORAGE } from '../../platform/providers.js';
import { UploadSlots } from './upload-slots.js';

const PREFIX = 'pets-bundle-';

/** More than any upload takes: the server ends a request after five minutes. */
const MAX_AGE_MS = 60 * 60 * 1_000;

/** Creates a temporary folder for one upload. Its name contains the host and the process id. */
export function makeUploadFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${hostname()}-${process.pid}-`));
}

export function deleteUploadFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/**
 * Deletes the folders of processes that died. Those of other hosts, which may share the disk, are deleted by their age.
 * @param isStarting whether this process has created no folder yet, so that folders with its id are from an earlier process
 * @returns how many
 */
export async function deleteAbandonedFolders(now: Date, isStarting: boolean): Promise<number> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX));
  let deleted = 0;
  for (const name of names) {
    const folder = join(tmpdir(), name);
    const isAbandoned = hasDied(name, isStarting) || now.getTime() - (await changedAtMs(folder)) > MAX_AGE_MS;
    if (!isAbandoned) continue;
    await deleteUploadFolder(folder);
    deleted += 1;
  }
  return deleted;
}

function hasDied(name: string, isStarting: boolean): boolean {
  const own = `${PREFIX}${hostname()}-`;
  const pid = name.startsWith(own) ? /^(\d+)-/.exec(name.slice(own.length))?.[1] : undefined;
  if (pid === undefined) return false;
  if (Number(pid) === process.pid) return isStarting;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** A folder that was deleted in the meantime counts as new. */
async function changedAtMs(folder: string): Promise<number> {
  try {
    return (await stat(folder)).mtimeMs;
  } catch {
    return Infinity;
  }
}

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
