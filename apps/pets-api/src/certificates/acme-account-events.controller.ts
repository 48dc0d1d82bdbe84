import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { DomainEvents } from '@pets/contracts';
import { EventContext, OnEvent } from '@pets/messaging';
import type { Logger } from '@pets/platform';
import { LOG } from '../platform/providers.js';
import { AcmeAccountsService } from './acme-accounts.service.js';
import { UsableAccounts } from './usable-accounts.js';

/** Announcements of accounts, from the worker. */
@Controller()
export class AcmeAccountEventsController {
  constructor(
    private readonly accounts: AcmeAccountsService,
    private readonly usable: UsableAccounts,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  @OnEvent('account.ready')
  async onAccountReady(
    @Payload() event: DomainEvents['account.ready'],
    @Ctx() { sentAt }: EventContext,
  ): Promise<void> {
    await this.accounts.remember(event, sentAt);
  }

  @OnEvent('accounts.announced')
  async onAccountsAnnounced(
    @Payload() { workerId, accounts }: DomainEvents['accounts.announced'],
    @Ctx() { sentAt }: EventContext,
  ): Promise<void> {
    const isNewest = await this.usable.remember(workerId, accounts, sentAt);
    if (!isNewest) this.log.info({ workerId, reason: 'stale' }, 'result dropped');
  }
}
