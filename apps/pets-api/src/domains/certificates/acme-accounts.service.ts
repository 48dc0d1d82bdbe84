import { Inject, Injectable } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import { notify, type Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { sql } from 'kysely';
import { EdgeFeed } from '../edge-ports.js';
import { DATABASE, LOG } from '../../platform/providers.js';

/** The accounts that the worker has at CAs. One account key serves them all, so the edges get one thumbprint. */
@Injectable()
export class AcmeAccountsService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly feed: EdgeFeed,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Keeps the account, tells the edges what to answer challenges with, and lets issuance that waited for it begin. No attempt
   * tells an old announcement from a new one, so the time at which it was signed does: one that comes late or again does not
   * bring back the thumbprint of a key that was replaced.
   */
  async remember(
    { directoryUrl, accountUrl, thumbprint }: DomainEvents['account.ready'],
    announcedAt: Date,
  ): Promise<void> {
    const isNewest = await this.db.transaction().execute(async (tx) => {
      const values = {
        ...{ account_url: accountUrl, thumbprint, announced_at: announcedAt },
        updated_at: sql<Date>`now()`,
      };
      await tx
        .insertInto('acme_accounts')
        .values({ directory_url: directoryUrl, ...values })
        .onConflict((conflict) =>
          conflict
            .column('directory_url')
            .doUpdateSet(values)
            .where(sql<boolean>`coalesce(acme_accounts.announced_at <= excluded.announced_at, true)`),
        )
        .execute();
      await notify(tx, 'domain_work');
      return this.feed.setThumbprint(tx, thumbprint, announcedAt);
    });
    if (!isNewest) this.log.info({ directoryUrl, reason: 'stale' }, 'result dropped');
  }
}
