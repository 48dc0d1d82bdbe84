import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import { OLDEST_SESSION_PROTOCOL, SUSPENDED_PROTOCOL, WILDCARD_PROTOCOL } from '@pets/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { upgrade } from '../../http/websocket-upgrades.js';
import { unsupportedProtocol } from '../feed-protocol.js';
import { EdgeSessions } from './edge-sessions.service.js';

/** The path of the upgrade, exactly as edges send it. */
export const SESSION_PATH = '/internal/edge/session';

/** An acknowledgement has a few hundred bytes. */
const MAX_ACK_BYTES = 4 * 1024;

const sessionQuerySchema = z.object({
  after: z.coerce.number().int().nonnegative().default(0),
  epoch: z.string().max(64).optional(),
  protocol: z.coerce.number().int().nonnegative(),
  /** The protocol of the edge's routes. */
  held: z.coerce.number().int().nonnegative().default(1),
});

/** Sessions of the edge feed, since protocol 3. */
@Controller('internal/edge')
export class EdgeSessionController {
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_ACK_BYTES,
    perMessageDeflate: false,
  });

  constructor(private readonly sessions: EdgeSessions) {}

  @Get('session')
  async open(
    @Query({ schema: sessionQuerySchema }) query: z.infer<typeof sessionQuerySchema>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (query.protocol < OLDEST_SESSION_PROTOCOL) throw unsupportedProtocol(query.protocol);
    this.sessions.assertOpen();
    const { protocol, after: version } = query;
    const oldestHeld = protocol < WILDCARD_PROTOCOL ? SUSPENDED_PROTOCOL : WILDCARD_PROTOCOL;
    // A table of an older protocol may lack hosts, so it counts as one of another database.
    const epoch = query.held < oldestHeld ? undefined : query.epoch;
    this.sessions.open(await upgrade(this.#webSockets, request, reply), { epoch, version, protocol });
  }
}
