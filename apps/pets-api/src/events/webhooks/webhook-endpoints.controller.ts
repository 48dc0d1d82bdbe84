import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query, Res } from '@nestjs/common';
import {
  listWebhookEndpointsQuerySchema,
  newWebhookEndpointSchema,
  rotateWebhookSecretQuerySchema,
  webhookEndpointChangeSchema,
  webhookStatisticsQuerySchema,
  type CreatedWebhookEndpoint,
  type ListWebhookEndpointsQuery,
  type NewWebhookEndpoint,
  type RotateWebhookSecretQuery,
  type WebhookEndpoint,
  type WebhookEndpointChange,
  type WebhookStatistics,
  type WebhookStatisticsQuery,
} from '@pets/contracts';
import type { FastifyReply } from 'fastify';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { idSchema } from '../../http/input-validation.js';
import { Pages } from '../../http/paging/pages.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/providers.js';
import { presentEndpoint } from './present-webhooks.js';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository.js';
import { WebhookEndpointsService } from './webhook-endpoints.service.js';
import { startOf, summarizeStatistics, WebhookStatisticsRepository } from './webhook-statistics.repository.js';

const PATH = '/v1/webhook-endpoints';

/** The endpoints of the caller's organization. */
@Controller(PATH)
export class WebhookEndpointsController {
  constructor(
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly service: WebhookEndpointsService,
    private readonly statistics: WebhookStatisticsRepository,
    private readonly pages: Pages,
    private readonly idempotency: Idempotency,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  async list(
    @CurrentPrincipal() { organizationId }: Principal,
    @Query({ schema: listWebhookEndpointsQuerySchema }) { limit, cursor, ...filters }: ListWebhookEndpointsQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookEndpoint[]> {
    const request = { path: PATH, organizationId, limit, cursor, filters };
    const page = await this.pages.cutFound(reply, request, (bounds) =>
      this.endpoints.list(organizationId, filters, bounds),
    );
    return page.map(presentEndpoint);
  }

  @Post()
  create(
    @CurrentCall() call: IdempotentCall,
    @Body({ schema: newWebhookEndpointSchema }) body: NewWebhookEndpoint,
  ): Promise<CreatedWebhookEndpoint | JsonText> {
    return this.idempotency.run(call, async (db) => {
      const { secret, row } = await this.service.create(db, call.principal.organizationId, body);
      return { body: { ...presentEndpoint(row), secret }, location: `${PATH}/${row.id}` };
    });
  }

  @Get(':endpointId')
  async get(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('endpointId', { schema: idSchema }) endpointId: string,
  ): Promise<WebhookEndpoint> {
    return presentEndpoint(await this.endpoints.get(organizationId, endpointId));
  }

  @Get(':endpointId/statistics')
  async getStatistics(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('endpointId', { schema: idSchema }) endpointId: string,
    @Query({ schema: webhookStatisticsQuerySchema }) { period }: WebhookStatisticsQuery,
  ): Promise<WebhookStatistics> {
    await this.endpoints.get(organizationId, endpointId);
    const now = this.clock();
    return summarizeStatistics(await this.statistics.find(endpointId, startOf(period, now)), period, now);
  }

  @Patch(':endpointId')
  async change(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('endpointId', { schema: idSchema }) endpointId: string,
    @Body({ schema: webhookEndpointChangeSchema }) change: WebhookEndpointChange,
  ): Promise<WebhookEndpoint> {
    return presentEndpoint(await this.service.change(organizationId, endpointId, change, this.clock()));
  }

  @Delete(':endpointId')
  @HttpCode(204)
  async delete(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param('endpointId', { schema: idSchema }) endpointId: string,
  ): Promise<void> {
    await this.service.delete(organizationId, endpointId);
  }

  @Post(':endpointId/rotate-secret')
  @HttpCode(200)
  rotateSecret(
    @CurrentCall() call: IdempotentCall,
    @Param('endpointId', { schema: idSchema }) endpointId: string,
    @Query({ schema: rotateWebhookSecretQuerySchema }) { overlapSeconds }: RotateWebhookSecretQuery,
  ): Promise<CreatedWebhookEndpoint | JsonText> {
    const until = overlapSeconds === 0 ? null : new Date(this.clock().getTime() + overlapSeconds * 1_000);
    return this.idempotency.run(call, async (db) => {
      const { organizationId } = call.principal;
      const { secret, row } = await this.service.rotateSecret(db, organizationId, endpointId, until);
      return { body: { ...presentEndpoint(row), secret } };
    });
  }
}
