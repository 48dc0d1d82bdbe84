import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { DomainEvents } from '@pets/contracts';
import { EventContext, OnEvent } from '@pets/messaging';
import { AcmeAccountsService } from './acme-accounts.service.js';

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
