import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { DatabaseBytesRepository } from './database-bytes.repository.js';
import { FullOrganizations } from './full-organizations.service.js';

const LOOK_EVERY_MS = 30_000;
/** From one estimate of the cluster to the next: with `LOOK_EVERY_MS`, about a minute. */
const EVERY_MS = 45_000;
/** Four times what the last one took, at least. */
const PAUSE_RATIO = 4;

/** Estimates the bytes of all organizations about every minute, in one process of the cluster, and applies their limits. */
@Injectable()
export class DatabaseBytes implements OnModuleInit {
  constructor(
    private readonly bytes: DatabaseBytesRepository,
    private readonly full: FullOrganizations,
    private readonly tasks: BackgroundTasks,
    private readonly shuttingDown: ShuttingDown,
  ) {}

  onModuleInit(): void {
    const failure = 'bytes of organizations not estimated';
    this.tasks.repeat({ everyMs: LOOK_EVERY_MS, failure, run: () => this.run() });
  }

  async run(): Promise<void> {
    const at = await this.bytes.beginEstimate();
    if (at === null) return;
    const beganMs = performance.now();
    const { signal } = this.shuttingDown;
    const sums = new Map<string, number>();
    for (const table of await this.bytes.listTables()) {
      if (signal.aborted) return;
      await this.bytes.addTable(table, sums);
    }
    await this.bytes.save(sums, at);
    for (const organization of await this.bytes.listLimited()) await this.full.apply(organization, signal);
    await this.bytes.complete(Math.max(EVERY_MS, PAUSE_RATIO * (performance.now() - beganMs)));
  }
}
