import { Inject, Injectable } from '@nestjs/common';
import { certificateKeyBinding } from '@pets/contracts';
import { seal, type Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG, LOG } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { Sweeper } from '../../platform/sweeper.js';
import { CertificatesRepository } from './certificates.repository.js';

const HOUR_MS = 60 * 60 * 1_000;

const settings = {
  everyMs: HOUR_MS,
  batch: 500,
  failure: 'keys that are not needed any more were not made void',
} as const;

/** Edges that are a little behind, and results that are late, are waited for. */
const GRACE_MS = 24 * HOUR_MS;

/**
 * Certificates and attempts stay for the history and the ledger, keys that serve nothing any more do not: those of
 * attempts that failed or were never told of, of certificates that a newer one replaces, and of removed domains. What is
 * left in their place is nothing, sealed, so that whoever rewraps keys need not know of it; the request goes with them.
 */
@Injectable()
export class UnusedKeysSweeper extends Sweeper {
  constructor(
    private readonly certificates: CertificatesRepository,
    shuttingDown: ShuttingDown,
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Logger,
  ) {
    super(settings, shuttingDown, log);
  }

  protected async sweepSome(batch: number): Promise<number> {
    const idle = await this.certificates.listUnusedKeys(new Date(this.clock().getTime() - GRACE_MS), batch);
    await this.certificates.voidKeys(
      idle.map(({ id, organizationId }) => ({
        id,
        sealedKey: seal(this.config.CERTIFICATE_KEKS, '', certificateKeyBinding(id, organizationId)),
      })),
    );
    return idle.length;
  }
}
