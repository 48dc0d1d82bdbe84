import { Controller, Get, HttpCode, Injectable, Param, Post, Query, Res } from '@nestjs/common';
import {
  listWebhookDeliveriesQuerySchema,
  type ListWebhookDeliveriesQuery,
  type WebhookDelivery,
  type WebhookDeliveryWithBody,
} from '@pets/contracts';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { FastifyReply } from 'fastify';
import { AuditLog } from '../../access/audit/audit-log.js';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { idSchema } from '../../http/input-validation.js';
import { Pages } from '../../http/paging/pages.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { presentDelivery, presentDeliveryWithBody, presentEndpoint } from './present-webhooks.js';
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
      const host = await this.lockEnabled(tx, organizationId, endpointId);
      await this.deliveries.get(endpointId, id, tx);
      await this.deliveries.replay(tx, id);
      const subject = { kind: 'webhook_delivery', id } as const;
      await this.audit.record(tx, {
        organizationId,
        type: 'webhook_delivery.replayed',
        subject,
        detail: { host, endpointId },
      });
      return this.deliveries.get(endpointId, id, tx);
    });
  }

  /** @throws RequestError `not_found`; `conflict` while the endpoint is disabled */
  async test(db: Database, organizationId: string, endpointId: string): Promise<DeliveryRow> {
    return inTransaction(db, async (tx) => {
      const host = await this.lockEnabled(tx, organizationId, endpointId);
      const endpoint = presentEndpoint(await this.endpoints.get(organizationId, endpointId, tx));
      const subject = { kind: 'webhook_endpoint', id: endpointId } as const;
      await this.audit.record(tx, { organizationId, type: 'webhook_endpoint.tested', subject, detail: { host } });
      const id = await this.deliveries.insertTest(tx, endpointId, JSON.stringify(endpoint));
      return this.deliveries.get(endpointId, id, tx);
    });
  }

  /** @returns the host of the endpoint, for the audit log */
  private async lockEnabled(tx: Tx, organizationId: string, endpointId: string): Promise<string> {
    const { enabled, url } = await this.endpoints.lock(tx, organizationId, endpointId);
    if (!enabled) throw new RequestError('conflict', 'The endpoint is disabled. Enable it first.');
    return new URL(url).host;
  }
}

/** The deliveries to an endpoint of the caller's organization. */
@Controller('v1/webhook-endpoints/:endpointId')
export class WebhookDeliveriesController {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly service: WebhookDeliveriesService,
    private readonly pages: Pages,
    private readonly idempotency: Idempotency,
  ) {}

  @Get('deliveries')
  async list(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('endpointId', { schema: idSchema }) endpointId: string,
    @Query({ schema: listWebhookDeliveriesQuerySchema }) { limit, cursor, ...filters }: ListWebhookDeliveriesQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookDelivery[]> {
    await this.endpoints.get(organizationId, endpointId);
    const path = `/v1/webhook-endpoints/${endpointId}/deliveries`;
    const request = { path, organizationId, limit, cursor, filters };
    const page = await this.pages.cutFound(reply, request, (bounds) =>
      this.deliveries.list(endpointId, filters, bounds),
    );
    return page.map(presentDelivery);
  }

  @Get('deliveries/:deliveryId')
  async get(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('endpointId', { schema: idSchema }) endpointId: string,
    @Param('deliveryId', { schema: idSchema }) deliveryId: string,
  ): Promise<WebhookDeliveryWithBody> {
    await this.endpoints.get(organizationId, endpointId);
    return presentDeliveryWithBody(await this.deliveries.getDetail(endpointId, deliveryId));
  }

  @Post('deliveries/:deliveryId/replay')
  @HttpCode(202)
  replay(
    @CurrentCall() call: IdempotentCall,
    @Param('endpointId', { schema: idSchema }) endpointId: string,
    @Param('deliveryId', { schema: idSchema }) deliveryId: string,
  ): Promise<WebhookDelivery | JsonText> {
    return this.idempotency.run(call, async (db) => ({
      body: presentDelivery(await this.service.replay(db, call.principal.organizationId, endpointId, deliveryId)),
    }));
  }

  @Post('test')
  @HttpCode(202)
  test(
    @CurrentCall() call: IdempotentCall,
    @Param('endpointId', { schema: idSchema }) endpointId: string,
  ): Promise<WebhookDelivery | JsonText> {
    return this.idempotency.run(call, async (db) => ({
      body: presentDelivery(await this.service.test(db, call.principal.organizationId, endpointId)),
    }));
  }
}
