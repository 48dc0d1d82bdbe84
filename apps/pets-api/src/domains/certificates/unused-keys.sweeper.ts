import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { certificateKeyBinding } from '@pets/contracts';
import { seal } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG } from '../../platform/providers.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { CertificatesRepository } from './certificates.repository.js';

const HOUR_MS = 60 * 60 * 1_000;

const BATCH = 500;

/** Edges that are a little behind, and results that are late, are waited for. */
const GRACE_MS = 24 * HOUR_MS;

/**
 * Certificates and attempts stay for the history and the ledger, keys that serve nothing any more do not: those of
 * attempts that failed or were never told of, of certificates that a newer one replaces, and of removed domains. What is
 * left in their place is nothing, sealed, so that whoever rewraps keys need not know of it; the request goes with them.
 */
@Injectable()
export class UnusedKeysSweeper implements OnModuleInit {
  constructor(
    private readonly certificates: CertificatesRepository,
    private readonly tasks: BackgroundTasks,
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat(HOUR_MS, () => this.sweep());
  }

  sweep(): Promise<number> {
    return this.tasks.sweep({
      batch: BATCH,
      failure: 'keys that are not needed any more were not made void',
      clear: (limit) => this.clear(limit),
    });
  }

  private async clear(limit: number): Promise<number> {
    const idle = await this.certificates.listUnusedKeys(new Date(this.clock().getTime() - GRACE_MS), limit);
    await this.certificates.voidKeys(
      idle.map(({ id, organizationId }) => ({
        id,
        sealedKey: seal(this.config.CERTIFICATE_KEKS, '', certificateKeyBinding(id, organizationId)),
      })),
    );
    return idle.length;
  }
}
