import { Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  listWebhookDeliveriesQuerySchema,
  type ListWebhookDeliveriesQuery,
  type WebhookDelivery,
  type WebhookDeliveryWithBody,
} from '@pets/contracts';
import type { FastifyReply } from 'fastify';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { idSchema } from '../../http/input-validation.js';
import { Pages } from '../../http/paging/pages.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { presentDelivery, presentDeliveryWithBody } from './present-webhooks.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';
import { WebhookDeliveriesService } from './webhook-endpoints.service.js';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository.js';

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
