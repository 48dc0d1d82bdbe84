import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks } from '../platform/background-tasks.js';
import { CertificateObjects } from './certificate-objects.service.js';

/** Until then edges ask pets-api for a certificate that was not written. */
const EVERY_MS = 60_000;
const BATCH = 200;

/** Writes missing objects of certificates to the storage, and deletes unused ones. */
@Injectable()
export class CertificateObjectsSweeper implements OnModuleInit {
  constructor(
    private readonly objects: CertificateObjects,
    private readonly tasks: BackgroundTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({
      everyMs: EVERY_MS,
      failure: 'certificates in the storage not kept up to date',
      run: () => this.sweep(),
    });
  }

  async sweep(): Promise<void> {
    await this.tasks.sweep({
      batch: BATCH,
      failure: 'certificates not written to the storage',
      clear: (limit) => this.objects.writeLeft(limit),
    });
    await this.tasks.sweep({
      batch: BATCH,
      failure: 'unused certificates not deleted from the storage',
      clear: (limit) => this.objects.deleteUnused(limit),
    });
  }
}
