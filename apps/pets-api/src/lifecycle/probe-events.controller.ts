import { Controller } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import { OnEvent } from '@pets/messaging';
import { ApiMetrics } from '../platform/metrics/api-metrics.js';
import { EdgeProbes } from '../names/edge-ports.js';
import { LifecycleService } from './lifecycle.service.js';

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
    let becomesLive: (() => void) | undefined;
    await this.lifecycle.applyResult('probe', event, (_tx, { state, createdAt: addedAt, verifiedAt }, now) => {
      if (state === 'verified') becomesLive = () => this.metrics.wentLive({ addedAt, verifiedAt }, now);
      return { trigger: { type: 'certificate.served' } };
    });
    becomesLive?.();
  }

  @OnEvent('certificate.not_served')
  async onNotServed(event: DomainEvents['certificate.not_served']): Promise<void> {
    const seen =
      event.seen.length === 0 ? ['no edge is reachable'] : event.seen.map(({ edgeId, error }) => `${edgeId}: ${error}`);
    await this.lifecycle.applyResult('probe', event, () => ({ trigger: { type: 'certificate.not_served', seen } }));
  }

  /** About the edges: changes no domain. */
  @OnEvent('edges.probed')
  async onProbed(event: DomainEvents['edges.probed']): Promise<void> {
    await this.probes.record(event);
  }
}
