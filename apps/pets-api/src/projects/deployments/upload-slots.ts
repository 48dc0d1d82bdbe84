import { Inject, Injectable } from '@nestjs/common';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { RequestError, type Logger } from '@pets/platform';
import { sql } from 'kysely';
import { LimitsService } from '../../access/limits/limits.service.js';
import { DATABASE, LOG } from '../../platform/providers.js';

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
