import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { DomainEvents } from '@pets/contracts';
import { EventContext, OnEvent } from '@pets/messaging';
import { EdgeProbes } from '../names/edge-ports.js';
import { ApiMetrics } from '../platform/metrics/api-metrics.js';
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

/** What the edges presented to the worker. */
@Controller()
export class ProbeEventsController {
  constructor(
    private readonly lifecycle: LifecycleService,
    private readonly metrics: ApiMetrics,
    private readonly probes: EdgeProbes,
  ) {}

  @OnEvent('certificate.served')
  async onServed(event: DomainEvents['certificate.served']): Promise<void> {
    const { change } = await this.lifecycle.applyResult('probe', event, { type: 'certificate.served', event });
    if (change?.from === 'verified' && change.to === 'live') this.metrics.wentLive(change, new Date());
  }

  @OnEvent('certificate.not_served')
  async onNotServed(event: DomainEvents['certificate.not_served']): Promise<void> {
    await this.lifecycle.applyResult('probe', event, { type: 'certificate.not_served', event });
  }

  /** About the edges: changes no domain. */
  @OnEvent('edges.probed')
  async onProbed(event: DomainEvents['edges.probed']): Promise<void> {
    await this.probes.record(event);
  }
}
