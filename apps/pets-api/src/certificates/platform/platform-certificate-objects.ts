/**
 * Objects of platform certificates in the storage, where edges read them: `certificates/<id>` with the chain and the sealed key,
 * as of every certificate. An object is written before the certificate is published; where the storage does not answer, edges
 * ask pets-api, and the sweep writes it. Every object has a row, and keys that nobody needs are deleted a day later, the
 * object first: edges that are behind need the certificate until then.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { SealedCertificate } from '@pets/contracts';
import { certificateObjectKey, writeStoredCertificate, type FileStorage, type Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG, LOG, STORAGE } from '../../platform/providers.js';
import { PlatformCertificatesRepository } from './platform-certificates.repository.js';

const EVERY_MS = 60_000;
const FAILURE = 'objects of platform certificates not kept up to date';
const LIMIT_MS = 5_000;
const DAY_MS = 86_400_000;

@Injectable()
export class PlatformCertificateObjects implements OnModuleInit {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'RETENTION_CERTIFICATES'>,
    @Inject(STORAGE) private readonly storage: FileStorage,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly certificates: PlatformCertificatesRepository,
    private readonly tasks: BackgroundTasks,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({ everyMs: EVERY_MS, failure: FAILURE, run: () => this.sweep() });
  }

  /** @returns whether it was written; a failure is logged */
  async write(sealed: SealedCertificate): Promise<boolean> {
    try {
      await writeStoredCertificate(this.storage, sealed, AbortSignal.timeout(LIMIT_MS));
      return true;
    } catch (error) {
      const { id } = sealed;
      this.log.warn({ err: error, id }, 'platform certificate not written to the storage; retrying later');
      return false;
    }
  }

  async sweep(): Promise<void> {
    const now = this.clock();
    for (const sealed of await this.certificates.listUnwritten())
      if (await this.write(sealed)) await this.certificates.recordWritten(sealed, now);
    for (const id of await this.certificates.listUnused(new Date(now.getTime() - DAY_MS))) {
      await this.storage.delete(certificateObjectKey(id), AbortSignal.timeout(LIMIT_MS));
      await this.certificates.forgetKey(id);
    }
    await this.certificates.deleteOld(new Date(now.getTime() - this.config.RETENTION_CERTIFICATES * DAY_MS));
  }
}
