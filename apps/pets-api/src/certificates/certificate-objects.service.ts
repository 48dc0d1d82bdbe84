/**
 * Sealed certificates are objects in the storage, where edges read them: `certificates/<id>`, each with the chain and the
 * sealed key. In this release the rows have both as well, and count when the two differ.
 *
 * - A new certificate is written before the transaction that makes it current commits. If the storage does not answer, the
 *   transaction commits without it: the order was made and counts towards the limits of the CA, and the domain can be served,
 *   since edges ask pets-api for what they do not find. The next sweep writes the object. An uploaded one has a row before.
 * - A sweep writes the objects that are missing: those, the ones of certificates from before this release, and the ones whose
 *   key was rewrapped since.
 * - A sweep deletes the objects whose key was deleted from the row (`certificates.sweeper.ts`). Every
 *   object has a row, so this collects orphans too: an attempt that was written and never became current is one whose key is
 *   unused.
 *
 * Each write and deletion is under a lease of the row and ends long before it, so that an older content never replaces a newer
 * one. Any number of processes may do this at once, and may die at any point.
 */
import { Inject, Injectable } from '@nestjs/common';
import { forEachConcurrent } from '@pets/async';
import type { Attempt } from '@pets/contracts';
import { certificateObjectKey, writeStoredCertificate, type FileStorage, type Logger } from '@pets/platform';
import { LOG, STORAGE } from '../platform/providers.js';
import {
  CertificateObjectsRepository,
  type LeasedCertificate,
  type ObjectCounts,
  type ObjectLease,
} from './certificate-objects.repository.js';

/** The domain of a new certificate waits for it, or its owner. */
const NEW_LIMIT_MS = 5_000;
/** After a failure new certificates are not written for this long, so that events do not wait for an unreachable storage. */
const PAUSE_MS = 10_000;
/** For a batch. Much shorter than the lease. */
const BATCH_LIMIT_MS = 30_000;
const CONCURRENT_REQUESTS = 16;

@Injectable()
export class CertificateObjects {
  /** End of a pause on the monotonic clock. */
  private pausedUntilMs = 0;

  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly repository: CertificateObjectsRepository,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Writes the object of an attempt that got its certificate. The caller passes the result to the transaction that makes the
   * certificate current, and then to `release`.
   * @returns null when it was not written: the sweep writes it after that transaction
   */
  async writeNew(attempt: Attempt, chainPem: string): Promise<LeasedCertificate | null> {
    return this.tryToWrite(async () => {
      const leased = await this.repository.leasePending(attempt);
      return leased === null ? null : { ...leased, chainPem };
    });
  }

  /** Writes the object of an upload before it is activated, if the storage answers. */
  async writeUploaded(id: string): Promise<void> {
    const written = await this.tryToWrite(async () => (await this.repository.leaseLeft(1, id))[0] ?? null);
    if (written !== null) await this.repository.recordWritten([written]);
  }

  /** Ends the lease of `writeNew`, where the transaction has not. It does not reject: a lease ends on its own. */
  async release(lease: ObjectLease): Promise<void> {
    await this.repository.release([lease]).catch((error: unknown) => {
      this.log.warn({ err: error, certificateId: lease.id }, 'lease of a certificate not released');
    });
  }

  /**
   * Writes missing objects.
   * @returns how many it found, at most `limit`
   * @throws Error the first failure, after the others of the batch have ended
   */
  async writeLeft(limit: number): Promise<number> {
    const signal = AbortSignal.timeout(BATCH_LIMIT_MS);
    const leased = await this.repository.leaseLeft(limit);
    const { done, untouched, error } = await runAll(leased, signal, (certificate, abort) =>
      this.write(certificate, abort),
    );
    await this.repository.recordWritten(done);
    await this.repository.release(untouched);
    if (done.length > 0) this.log.info({ certificates: done.length }, 'certificates written to the storage');
    if (error !== undefined) throw error;
    return leased.length;
  }

  /** Deletes objects whose key was deleted. @returns and @throws as `writeLeft` */
  async deleteUnused(limit: number): Promise<number> {
    const signal = AbortSignal.timeout(BATCH_LIMIT_MS);
    const leased = await this.repository.leaseUnused(limit);
    const { done, untouched, error } = await runAll(leased, signal, ({ id }, abort) =>
      this.storage.delete(certificateObjectKey(id), abort),
    );
    await this.repository.recordDeleted(done);
    await this.repository.release(untouched);
    if (done.length > 0) this.log.info({ certificates: done.length }, 'unused certificates deleted from the storage');
    if (error !== undefined) throw error;
    return leased.length;
  }

  count(): Promise<ObjectCounts> {
    return this.repository.count();
  }

  /** Writes what is leased while somebody waits for it. @returns null when it was not written */
  private async tryToWrite(lease: () => Promise<LeasedCertificate | null>): Promise<LeasedCertificate | null> {
    if (performance.now() < this.pausedUntilMs) return null;
    const signal = AbortSignal.timeout(NEW_LIMIT_MS);
    const leased = await lease();
    if (leased === null) return null;
    try {
      await this.write(leased, signal);
      return leased;
    } catch (error) {
      this.pausedUntilMs = performance.now() + PAUSE_MS;
      this.log.warn({ err: error, certificateId: leased.id }, 'certificate not written to the storage; retrying later');
      await this.release(leased);
      return null;
    }
  }

  private write({ id, organizationId, chainPem, sealedKey }: LeasedCertificate, signal: AbortSignal): Promise<void> {
    return writeStoredCertificate(this.storage, { id, organizationId, chainPem, sealedKey }, signal);
  }
}

interface Outcome<Item> {
  readonly done: readonly Item[];
  /** Not begun. One that failed keeps its lease, so that others come first at the next try. */
  readonly untouched: readonly Item[];
  /** The first one. */
  readonly error: Error | undefined;
}

/** Runs some at a time, and begins no more after the first failure. */
async function runAll<Item>(
  items: readonly Item[],
  signal: AbortSignal,
  run: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<Outcome<Item>> {
  const done: Item[] = [];
  const untouched: Item[] = [];
  const errors: Error[] = [];
  await forEachConcurrent(items, CONCURRENT_REQUESTS, async (item) => {
    if (errors.length > 0) {
      untouched.push(item);
      return;
    }
    try {
      signal.throwIfAborted();
      await run(item, signal);
      done.push(item);
    } catch (error) {
      errors.push(error instanceof Error ? error : new Error(String(error)));
    }
  });
  return { done, untouched, error: errors[0] };
}
