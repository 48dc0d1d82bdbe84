import { Injectable } from '@nestjs/common';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { AuditLog } from '../../access/audit/audit-log.js';
import { presentEndpoint } from './present-webhooks.js';
import { WebhookDeliveriesRepository, type DeliveryRow } from './webhook-deliveries.repository.js';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository.js';

/** Deliveries that an owner requests: replays and tests. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly audit: AuditLog,
  ) {}

  /** @throws RequestError `not_found`; `conflict` while the endpoint is disabled */
  async replay(db: Database, organizationId: string, endpointId: string, id: string): Promise<DeliveryRow> {
    return inTransaction(db, async (tx) => {
      await this.lockEnabled(tx, organizationId, endpointId);
      await this.deliveries.get(endpointId, id, tx);
      await this.deliveries.replay(tx, id);
      const subject = { kind: 'webhook_delivery', id } as const;
      await this.audit.record(tx, {
        organizationId,
        type: 'webhook_delivery.replayed',
        subject,
        detail: { endpointId },
      });
      return this.deliveries.get(endpointId, id, tx);
    });
  }

  /** @throws RequestError `not_found`; `conflict` while the endpoint is disabled */
  async test(db: Database, organizationId: string, endpointId: string): Promise<DeliveryRow> {
    return inTransaction(db, async (tx) => {
      await this.lockEnabled(tx, organizationId, endpointId);
      const endpoint = presentEndpoint(await this.endpoints.get(organizationId, endpointId, tx));
      const subject = { kind: 'webhook_endpoint', id: endpointId } as const;
      await this.audit.record(tx, { organizationId, type: 'webhook_endpoint.tested', subject });
      const id = await this.deliveries.insertTest(tx, endpointId, JSON.stringify(endpoint));
      return this.deliveries.get(endpointId, id, tx);
    });
  }

  private async lockEnabled(tx: Tx, organizationId: string, endpointId: string): Promise<void> {
    const { enabled } = await this.endpoints.lock(tx, organizationId, endpointId);
    if (!enabled) throw new RequestError('conflict', 'The endpoint is disabled. Enable it first.');
  }
}
