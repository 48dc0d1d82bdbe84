import { Controller, Inject, Injectable } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { DomainEvents } from '@pets/contracts';
import { EventContext, OnEvent } from '@pets/messaging';
import { notify, type Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { sql } from 'kysely';
import { EdgeFeed } from '../names/edge-ports.js';
import { DATABASE, LOG } from '../platform/providers.js';

/** Our accounts at the CAs. All use one key, whose thumbprint the feed has. */
@Injectable()
export class AcmeAccountsService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly feed: EdgeFeed,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /**
   * Stores the account, publishes its thumbprint to the edges, and wakes the dispatcher for issuance that waited for it.
   * Announcements have no attempt number and are ordered by the time of their signature: a late or repeated one does not
   * restore the thumbprint of a replaced key.
   */
  async remember(
    { directoryUrl, accountUrl, thumbprint }: DomainEvents['account.ready'],
    announcedAt: Date,
  ): Promise<void> {
    const isNewest = await this.db.transaction().execute(async (tx) => {
      const values = {
        account_url: accountUrl,
        thumbprint,
        announced_at: announcedAt,
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

/** Announcements of accounts, from the worker. */
@Controller()
export class AcmeAccountEventsController {
  constructor(private readonly accounts: AcmeAccountsService) {}

  @OnEvent('account.ready')
  async onAccountReady(
    @Payload() event: DomainEvents['account.ready'],
    @Ctx() { sentAt }: EventContext,
  ): Promise<void> {
    await this.accounts.remember(event, sentAt);
  }
}
