import { Inject, Injectable } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import { notify, type Database } from '@pets/persistence';
import { sql } from 'kysely';
import { EdgeFeedRepository } from '../edge-feed/edge-feed.repository.js';
import { DATABASE } from '../providers.js';

/** The accounts that the worker has at CAs. One account key serves them all, so the edges get one thumbprint. */
@Injectable()
export class AcmeAccountsService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly feed: EdgeFeedRepository,
  ) {}

  /** Keeps the account, tells the edges what to answer challenges with, and lets issuance that waited for it begin. */
  async remember({ directoryUrl, accountUrl, thumbprint }: DomainEvents['account.ready']): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      const values = { account_url: accountUrl, thumbprint, updated_at: sql<Date>`now()` };
      await tx
        .insertInto('acme_accounts')
        .values({ directory_url: directoryUrl, ...values })
        .onConflict((conflict) => conflict.column('directory_url').doUpdateSet(values))
        .execute();
      await notify(tx, 'domain_work');
      await this.feed.setThumbprint(tx, thumbprint);
    });
  }
}
