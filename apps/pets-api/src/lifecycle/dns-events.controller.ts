import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { DomainEvents } from '@pets/contracts';
import { EventContext, OnEvent } from '@pets/messaging';
import { LifecycleService } from './lifecycle.service.js';

/** Receives what the worker found in the DNS. */
@Controller()
export class DnsEventsController {
  constructor(private readonly lifecycle: LifecycleService) {}

  @OnEvent('dns.checked')
  async onDnsChecked(@Payload() event: DomainEvents['dns.checked'], @Ctx() { isAwaited }: EventContext): Promise<void> {
    await this.lifecycle.applyResult('dns', event, { type: 'dns.checked', event }, { isAwaited });
  }

  @OnEvent('domain.reverified')
  async onReverified(
    @Payload() event: DomainEvents['domain.reverified'],
    @Ctx() { isAwaited }: EventContext,
  ): Promise<void> {
    await this.lifecycle.applyResult('reverify', event, { type: 'domain.reverified', event }, { isAwaited });
  }
}
