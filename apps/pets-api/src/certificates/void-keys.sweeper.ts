import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { certificateKeyBinding } from '@pets/contracts';
import { seal, type Logger } from '@pets/platform';
import type { Clock } from '../clock.js';
import type { Config } from '../config.js';
import { CLOCK, CONFIG, LOG } from '../providers.js';
import { ShuttingDown } from '../shutting-down.js';
import { CertificatesRepository } from './certificates.repository.js';

const EVERY_MS = 60 * 60 * 1_000;
/** Rows a statement. */
const BATCH = 500;

/** Edges that are a little behind, and results that are late, are waited for. */
const GRACE_MS = 24 * EVERY_MS;

/**
 * Certificates and attempts stay for the history and the ledger, keys that serve nothing any more do not: those of
 * attempts that failed or were never told of, of certificates that a newer one replaces, and of removed domains. What is
 * left in their place is nothing, sealed, so that whoever rewraps keys need not know of it; the request goes with them.
 * Nothing depends on when.
 */
@Injectable()
export class VoidKeysSweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly certificates: CertificatesRepository,
    private readonly shuttingDown: ShuttingDown,
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      // After the one before, should that take longer than the pause.
      this.sweeping = this.sweeping.then(() => this.sweep());
    }, EVERY_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** @returns how many keys were made void; a failure is logged, and the next time is soon enough */
  async sweep(): Promise<number> {
    const before = new Date(this.clock().getTime() - GRACE_MS);
    let total = 0;
    try {
      while (!this.shuttingDown.signal.aborted) {
        const idle = await this.certificates.listIdleKeys(before, BATCH);
        await this.certificates.voidKeys(
          idle.map(({ id, organizationId }) => ({
            id,
            sealedKey: seal(this.config.CERTIFICATE_KEKS, '', certificateKeyBinding(id, organizationId)),
          })),
        );
        total += idle.length;
        if (idle.length < BATCH) break;
      }
    } catch (error) {
      this.log.warn({ err: error }, 'keys that are not needed any more were not made void');
    }
    return total;
  }
}
