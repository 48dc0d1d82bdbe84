import { Inject, Injectable } from '@nestjs/common';
import { bundleLimits } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import type { Config } from '../../platform/config.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { CONFIG } from '../../platform/providers.js';

/** A file uses complete blocks of the disk. */
const BLOCK_BYTES = 4_096;
const RETRY_AFTER_SECONDS = '30';
/** The most that one upload can use. */
const LARGEST_UPLOAD_BYTES = bundleLimits.unpackedBytes + bundleLimits.files * BLOCK_BYTES;

/** The space that one upload uses. */
export interface SpaceReservation {
  /**
   * Call it before a file is written.
   * @throws RequestError `rate_limited` when the organization has used its share, `unavailable` when too little is left
   */
  addBytes(fileBytes: number): void;
  release(): void;
}

/**
 * Limits the temporary files of all uploads of this process, which share a disk with everything else. An organization gets
 * at most half of the space, so that unfinished uploads of one leave space for others.
 */
@Injectable()
export class UploadSpace {
  private readonly bytesOf = new Map<string, number>();
  private usedBytes = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'UPLOAD_SPACE_BYTES'>,
    @Inject(ApiMetrics) metrics: Pick<ApiMetrics, 'gauge'>,
  ) {
    const help = 'Temporary files of uploads under way, in whole blocks';
    metrics.gauge('pets_upload_space_used_bytes', help, () => this.usedBytes);
  }

  reserve(organizationId: string): SpaceReservation {
    let ownBytes = 0;
    return {
      addBytes: (fileBytes) => {
        const bytes = Math.max(Math.ceil(fileBytes / BLOCK_BYTES), 1) * BLOCK_BYTES;
        this.requireSpace(organizationId, bytes);
        this.change(organizationId, bytes);
        ownBytes += bytes;
      },
      release: () => {
        this.change(organizationId, -ownBytes);
        ownBytes = 0;
      },
    };
  }

  private requireSpace(organizationId: string, bytes: number): void {
    const headers = { 'retry-after': RETRY_AFTER_SECONDS };
    const total = this.config.UPLOAD_SPACE_BYTES;
    if (this.usedBytes + bytes > total)
      throw new RequestError('unavailable', 'There is no space for this upload now. Try again shortly.', headers);
    const share = Math.max(total / 2, LARGEST_UPLOAD_BYTES);
    if ((this.bytesOf.get(organizationId) ?? 0) + bytes > share)
      throw new RequestError(
        'rate_limited',
        'The uploads of the organization use too much space in total. Finish one first.',
        headers,
      );
  }

  private change(organizationId: string, bytes: number): void {
    const own = (this.bytesOf.get(organizationId) ?? 0) + bytes;
    if (own === 0) this.bytesOf.delete(organizationId);
    else this.bytesOf.set(organizationId, own);
    this.usedBytes += bytes;
  }
}
