import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, LOG } from '../../platform/providers.js';
import { DeprecatedCallsRepository, type DeprecatedCalls } from './deprecated-calls.repository.js';

const WRITE_AFTER_MS = 1_000;

/**
 * Counts calls of deprecated operations by key and day, so that their users can be notified before the removal.
 *
 * Counts are written once a second, outside of requests: an update for each call would contend for one row. A crash
 * loses a second of counts, a database outage none.
 */
@Injectable()
export class DeprecatedCallsCounter implements OnApplicationShutdown {
  private counted = new Map<string, DeprecatedCalls>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly calls: DeprecatedCallsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  count(operation: string, apiKeyId: string): void {
    this.merge({ operation, day: this.clock().toISOString().slice(0, 10), apiKeyId, calls: 1 });
    this.writeSoon();
  }

  /** After the last request was answered and before the pool is closed. */
  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    await this.write();
  }

  private merge(more: DeprecatedCalls): void {
    const name = `${more.operation} ${more.day} ${more.apiKeyId}`;
    this.counted.set(name, { ...more, calls: more.calls + (this.counted.get(name)?.calls ?? 0) });
  }

  private writeSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.write();
    }, WRITE_AFTER_MS).unref();
  }

  private async write(): Promise<void> {
    // In the same order on every replica, to avoid deadlocks.
    const written = [...this.counted].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
    if (written.length === 0) return;
    this.counted = new Map();
    try {
      await this.calls.addCalls(written);
    } catch (error) {
      this.log.warn({ err: error }, 'writing deprecated calls failed; retrying');
      for (const each of written) this.merge(each);
      this.writeSoon();
    }
  }
}
