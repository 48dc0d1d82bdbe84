import { Inject, Injectable } from '@nestjs/common';
import { bundleLimits } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { Config } from '../../platform/config.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { CONFIG } from '../../platform/providers.js';

/** A file takes whole blocks of a disk, and an inode. */
const BLOCK_BYTES = 4_096;
const RETRY_AFTER_SECONDS = '30';
/** The most that one upload can take. */
const LARGEST_UPLOAD_BYTES = bundleLimits.unpackedBytes + bundleLimits.files * BLOCK_BYTES;

/** What one upload has of the space. */
export interface SpaceReservation {
  /**
   * To be called before a file is written.
   * @throws RequestError `rate_limited` when the organization has its share, `unavailable` when there is not so much left
   */
  add(fileBytes: number): void;
  release(): void;
}

/**
 * The temporary files of all uploads of this process, together: they share a disk with everything else. One organization
 * has half of the space at most, so that uploads it never finishes leave room for others.
 */
@Injectable()
export class UploadSpace {
  readonly #bytesOf = new Map<string, number>();
  #usedBytes = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'UPLOAD_SPACE_BYTES'>,
    @Inject(ApiMetrics) metrics: Pick<ApiMetrics, 'gauge'>,
  ) {
    const help = 'Temporary files of uploads under way, in whole blocks';
    metrics.gauge('pets_upload_space_used_bytes', help, () => this.#usedBytes);
  }

  reserve(organizationId: string): SpaceReservation {
    let ownBytes = 0;
    return {
      add: (fileBytes) => {
        const bytes = Math.max(Math.ceil(fileBytes / BLOCK_BYTES), 1) * BLOCK_BYTES;
        this.#assertRoom(organizationId, bytes);
        this.#change(organizationId, bytes);
        ownBytes += bytes;
      },
      release: () => {
        this.#change(organizationId, -ownBytes);
        ownBytes = 0;
      },
    };
  }

  #assertRoom(organizationId: string, bytes: number): void {
    const headers = { 'retry-after': RETRY_AFTER_SECONDS };
    const total = this.config.UPLOAD_SPACE_BYTES;
    if (this.#usedBytes + bytes > total)
      throw new RequestError('unavailable', 'There is no room for this upload now. Try again shortly.', headers);
    const share = Math.max(total / 2, LARGEST_UPLOAD_BYTES);
    if ((this.#bytesOf.get(organizationId) ?? 0) + bytes > share)
      throw new RequestError(
        'rate_limited',
        'The uploads of the organization take too much room together. Finish one first.',
        headers,
      );
  }

  #change(organizationId: string, bytes: number): void {
    const own = (this.#bytesOf.get(organizationId) ?? 0) + bytes;
    if (own === 0) this.#bytesOf.delete(organizationId);
    else this.#bytesOf.set(organizationId, own);
    this.#usedBytes += bytes;
  }
}
