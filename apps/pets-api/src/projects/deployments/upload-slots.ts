import { Inject, Injectable } from '@nestjs/common';
import { bundleLimits } from '@pets/contracts';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { RequestError, type Logger } from '@pets/platform';
import { sql } from 'kysely';
import { LimitsService } from '../../access/limits/limits.service.js';
import type { Config } from '../../platform/config.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { CONFIG, DATABASE, LOG } from '../../platform/providers.js';

/** After this time without a renewal, the process of the upload is considered dead. */
const LEASE = sql<Date>`now() + interval '60 seconds'`;
const RENEWED_EVERY_MS = 20_000;
const RETRY_AFTER_SECONDS = '10';

/** Limits the concurrent uploads of each organization across all replicas. */
@Injectable()
export class UploadSlots {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly limits: LimitsService,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Runs an upload while it holds a slot. @throws RequestError `rate_limited` when all slots are in use */
  async run<T>(organizationId: string, work: () => Promise<T>): Promise<T> {
    const id = await this.take(organizationId);
    const renewal = setInterval(() => {
      this.renew(id).catch((error: unknown) => this.log.warn({ err: error }, 'upload lease not renewed'));
    }, RENEWED_EVERY_MS).unref();
    try {
      return await work();
    } finally {
      clearInterval(renewal);
      await this.free(id).catch((error: unknown) =>
        this.log.warn({ err: error }, 'upload slot not released; it counts until its lease expires'),
      );
    }
  }

  /** Deletes rows of processes that died and returns how many. */
  async deleteExpired(limit: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      delete from uploads where id in (
        select id from uploads where lease_until < now() order by lease_until limit ${limit} for update skip locked
      )`.execute(this.db);
    return Number(numAffectedRows);
  }

  private take(organizationId: string): Promise<string> {
    return inTransaction(this.db, async (tx) => {
      const { concurrentUploads } = await this.limits.lock(tx, organizationId);
      const open = await this.count(tx, organizationId);
      if (open >= concurrentUploads)
        throw new RequestError(
          'rate_limited',
          `The organization can upload at most ${concurrentUploads} deployments at a time.`,
          { 'retry-after': RETRY_AFTER_SECONDS },
        );
      const values = { organization_id: organizationId, lease_until: LEASE };
      const { id } = await tx.insertInto('uploads').values(values).returning('id').executeTakeFirstOrThrow();
      return id;
    });
  }

  private async count(tx: Tx, organizationId: string): Promise<number> {
    const { open } = await tx
      .selectFrom('uploads')
      .select(({ fn }) => fn.countAll<bigint>().as('open'))
      .where('organization_id', '=', organizationId)
      .where('lease_until', '>', sql<Date>`now()`)
      .executeTakeFirstOrThrow();
    return Number(open);
  }

  private async renew(id: string): Promise<void> {
    await this.db.updateTable('uploads').set({ lease_until: LEASE }).where('id', '=', id).execute();
  }

  private async free(id: string): Promise<void> {
    await this.db.deleteFrom('uploads').where('id', '=', id).execute();
  }
}

/** A file uses complete blocks of the disk. */
const BLOCK_BYTES = 4_096;
const SPACE_RETRY_AFTER_SECONDS = '30';
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
    const headers = { 'retry-after': SPACE_RETRY_AFTER_SECONDS };
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
