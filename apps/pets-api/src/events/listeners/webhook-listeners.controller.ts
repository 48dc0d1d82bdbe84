import { Controller, Get, Query, Req, Res, StreamableFile } from '@nestjs/common';
import { webhookListenersQuerySchema, type WebhookListener, type WebhookListenersQuery } from '@pets/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EVENT_STREAM_TYPE, prefersEventStream } from '../../http/negotiation.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { presentListener, WebhookListeners, WebhookListenersRepository } from './webhook-listeners.service.js';

/** The open streams of webhook events, or another one. */
@Controller('v1/webhook-listeners')
export class WebhookListenersController {
  constructor(
    private readonly listeners: WebhookListeners,
    private readonly repository: WebhookListenersRepository,
  ) {}

  @Get()
  async listen(
    @CurrentPrincipal() principal: Principal,
    @Query({ schema: webhookListenersQuerySchema }) query: WebhookListenersQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<WebhookListener[] | StreamableFile> {
    if (!prefersEventStream(request.headers.accept)) return this.list(principal.organizationId, query);
    const { readable } = await this.listeners.open(principal, query);
    // Or nginx and similar proxies buffer the events.
    reply.header('x-accel-buffering', 'no');
    return new StreamableFile(readable, { type: EVENT_STREAM_TYPE });
  }

  /** Lists the listeners that receive any of the types. */
  private async list(
    organizationId: string,
    { eventTypes, projectId }: WebhookListenersQuery,
  ): Promise<WebhookListener[]> {
    const rows = await this.repository.list(organizationId);
    return rows
      .filter((row) => eventTypes === undefined || eventTypes.some((type) => row.eventTypes.includes(type)))
      .filter((row) => projectId === undefined || row.projectId === projectId)
      .map(presentListener);
  }
}
