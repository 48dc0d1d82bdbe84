import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG, LOG } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { Sweeper } from '../../platform/sweeper.js';
import { AuditLog } from './audit-log.js';

const settings = {
  everyMs: 60 * 60 * 1_000,
  batch: 1_000,
  failure: 'old audit events were not deleted',
} as const;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Deletes what is older than `AUDIT_RETENTION_DAYS`. */
@Injectable()
export class AuditEventsSweeper extends Sweeper {
  constructor(
    private readonly audit: AuditLog,
    shuttingDown: ShuttingDown,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'AUDIT_RETENTION_DAYS'>,
    @Inject(LOG) log: Logger,
  ) {
    super(settings, shuttingDown, log);
  }

  protected sweepSome(batch: number): Promise<number> {
    const cutoff = new Date(this.clock().getTime() - this.config.AUDIT_RETENTION_DAYS * DAY_MS);
    return this.audit.deleteBefore(cutoff, batch);
  }
}
