import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks } from '../platform/background-tasks.js';
import type { Clock } from '../platform/clock.js';
import { CLOCK } from '../platform/providers.js';
import { CertificateObjects } from './certificate-objects.service.js';
import { OwnCertificatesRepository } from './own/own-certificates.repository.js';

/** Until then edges ask pets-api for a certificate that was not written. */
const EVERY_MS = 60_000;
const BATCH = 200;
/** For edges that are behind. */
const KEY_GRACE_MS = 86_400_000;

/**
 * Writes missing objects of certificates to the storage, and deletes unused ones. Keys of uploads are deleted here, a day after
 * the end of the upload; those of orders by `unused-keys.sweeper.ts`. The retention deletes the rows.
 */
@Injectable()
export class CertificatesSweeper implements OnModuleInit {
  constructor(
    private readonly objects: CertificateObjects,
    private readonly own: OwnCertificatesRepository,
    private readonly tasks: BackgroundTasks,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({
      everyMs: EVERY_MS,
      failure: 'certificates in the storage not kept up to date',
      run: () => this.sweep(),
    });
  }

  async sweep(): Promise<void> {
    const now = this.clock();
    const before = new Date(now.getTime() - KEY_GRACE_MS);
    const steps: Record<string, (limit: number) => Promise<number>> = {
      'certificates not written to the storage': (limit) => this.objects.writeLeft(limit),
      'uploads of removed domains not ended': (limit) => this.own.endOfRemoved(now, limit),
      'keys of ended uploads not deleted': (limit) => this.own.deleteKeys(before, limit),
      'unused certificates not deleted from the storage': (limit) => this.objects.deleteUnused(limit),
    };
    for (const [failure, clear] of Object.entries(steps)) await this.tasks.sweep({ batch: BATCH, failure, clear });
  }
}
