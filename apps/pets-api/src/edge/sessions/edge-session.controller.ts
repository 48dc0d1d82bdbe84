import { Controller, Delete, Get, HttpCode, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { upgrade } from '../../http/websocket-upgrades.js';
import { EdgeFeedRepository } from '../edge-feed.repository.js';
import { assertSupported } from '../feed-protocol.js';
import { EdgeSessions } from './edge-sessions.service.js';

/** The path of the upgrade, exactly as edges send it. */
export const SESSION_PATH = '/internal/edge/session';

/** An acknowledgement has a few hundred bytes. */
const MAX_ACK_BYTES = 4 * 1024;

const sessionQuerySchema = z.object({
  after: z.coerce.number().int().nonnegative().default(0),
  epoch: z.string().max(64).optional(),
  protocol: z.coerce.number().int().nonnegative(),
});

/** Sessions of edges, on the internal listener and with the edge token, and the end of their registration. */
@Controller('internal/edge')
export class EdgeSessionController {
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_ACK_BYTES,
    perMessageDeflate: false,
  });

  constructor(
    private readonly sessions: EdgeSessions,
    private readonly feed: EdgeFeedRepository,
  ) {}

  @Get('session')
  async open(
    @Query({ schema: sessionQuerySchema }) query: z.infer<typeof sessionQuerySchema>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { protocol, epoch, after: version } = query;
    assertSupported(protocol);
    this.sessions.assertOpen();
    this.sessions.open(await upgrade(this.#webSockets, request, reply), { epoch, version });
  }

  @Delete('edges/:edgeId')
  @HttpCode(204)
  async deregister(@Param('edgeId') edgeId: string): Promise<void> {
    await this.feed.forget(edgeId);
  }
}
