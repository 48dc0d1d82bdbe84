import { Controller } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import { OnEvent } from '@pets/messaging';
import { EdgeProbes } from '../edge-ports.js';

/** What probes tell of the edges, from the worker. It changes no domain. */
@Controller()
export class ProbeEventsController {
  constructor(private readonly probes: EdgeProbes) {}

  @OnEvent('edges.probed')
  async onProbed(event: DomainEvents['edges.probed']): Promise<void> {
    await this.probes.record(event);
  }
}
