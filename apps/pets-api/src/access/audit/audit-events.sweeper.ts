import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG } from '../../platform/providers.js';
import { AuditLog } from './audit-log.js';

const EVERY_MS = 60 * 60 * 1_000;
const BATCH = 1_000;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Deletes events older than `AUDIT_RETENTION_DAYS`. */
@Injectable()
export class AuditEventsSweeper implements OnModuleInit {
  constructor(
    private readonly audit: AuditLog,
    private readonly tasks: BackgroundTasks,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'AUDIT_RETENTION_DAYS'>,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat(EVERY_MS, () => this.sweep());
  }

  sweep(): Promise<number> {
    return this.tasks.sweep({
      batch: BATCH,
      failure: 'deleting old audit events failed',
      clear: (limit) => {
        const cutoff = new Date(this.clock().getTime() - this.config.AUDIT_RETENTION_DAYS * DAY_MS);
        return this.audit.deleteBefore(cutoff, limit);
      },
    });
  }
}
