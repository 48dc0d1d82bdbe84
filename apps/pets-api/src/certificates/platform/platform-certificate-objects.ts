/**
 * Objects of platform certificates in the storage, where edges read them: `certificates/<id>` with the chain and the sealed key,
 * as of every certificate. An object is written before the certificate is published; where the storage does not answer, edges
 * ask pets-api, and the sweep writes it. Every object has a row, and keys that nobody needs are deleted a day later, the
 * object first: edges that are behind need the certificate until then. The retention deletes rows without a key.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { SealedCertificate } from '@pets/contracts';
import { certificateObjectKey, writeStoredCertificate, type FileStorage, type Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, LOG, STORAGE } from '../../platform/providers.js';
import { PlatformCertificatesRepository } from './platform-certificates.repository.js';

const EVERY_MS = 60_000;
const FAILURE = 'objects of platform certificates not kept up to date';
const LIMIT_MS = 5_000;
const DAY_MS = 86_400_000;

@Injectable()
export class PlatformCertificateObjects implements OnModuleInit {
  constructor(
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
  write(sealed: SealedCertificate): Promise<boolean> {
    return tryToWrite(this.storage, sealed, this.log);
  }

  async sweep(): Promise<void> {
    await writePlatformObjects(this.storage, this.certificates, this.log);
    for (const id of await this.certificates.listUnused(new Date(this.clock().getTime() - DAY_MS))) {
      await this.storage.delete(certificateObjectKey(id), AbortSignal.timeout(LIMIT_MS));
      await this.certificates.forgetKey(id);
    }
  }
}

/** Writes the objects that are missing, or whose key was rewrapped since. A failure is logged. */
export async function writePlatformObjects(
  storage: FileStorage,
  certificates: PlatformCertificatesRepository,
  log: Logger,
): Promise<void> {
  for (const sealed of await certificates.listUnwritten())
    if (await tryToWrite(storage, sealed, log)) await certificates.recordWritten(sealed, new Date());
}

async function tryToWrite(storage: FileStorage, sealed: SealedCertificate, log: Logger): Promise<boolean> {
  try {
    await writeStoredCertificate(storage, sealed, AbortSignal.timeout(LIMIT_MS));
    return true;
  } catch (error) {
    log.warn({ err: error, id: sealed.id }, 'platform certificate not written to the storage; retrying later');
    return false;
  }
}
