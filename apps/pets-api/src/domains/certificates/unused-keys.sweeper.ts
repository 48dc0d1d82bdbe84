import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { certificateKeyBinding } from '@pets/contracts';
import { seal } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG } from '../../platform/providers.js';
import { CertificatesRepository } from './certificates.repository.js';

const HOUR_MS = 60 * 60 * 1_000;

const BATCH = 500;

/** Leaves time for edges that are behind, and for late results. */
const GRACE_MS = 24 * HOUR_MS;

/**
 * Deletes unused keys: of attempts that failed or never reported, of replaced certificates, and of removed domains. The rows
 * stay for the limits of the CAs. A sealed empty text replaces each key, so that key rotation can process every row; the
 * signing request is deleted as well. The object in the storage follows (`certificate-objects.service.ts`).
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
      failure: 'unused keys not deleted',
      clear: (limit) => this.clear(limit),
    });
  }

  private async clear(limit: number): Promise<number> {
    const unused = await this.certificates.listUnusedKeys(new Date(this.clock().getTime() - GRACE_MS), limit);
    await this.certificates.voidKeys(
      unused.map(({ id, organizationId }) => ({
        id,
        sealedKey: seal(this.config.CERTIFICATE_KEKS, '', certificateKeyBinding(id, organizationId)),
      })),
    );
    return unused.length;
  }
}
