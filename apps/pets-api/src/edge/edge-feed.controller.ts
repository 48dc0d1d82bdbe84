import { Readable } from 'node:stream';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import {
  chooseEdgeFeedProtocol,
  edgeAckSchema,
  edgeFeedProtocols,
  type EdgeAck,
  type EdgeFeedMessage,
  type SealedCertificate,
} from '@pets/contracts';
import type { NotificationListener } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { idSchema } from '../http/path.schema.js';
import { NOTIFICATIONS } from '../platform/providers.js';
import { ShuttingDown } from '../platform/shutting-down.js';
import { EdgeFeedRepository, type FeedHead } from './edge-feed.repository.js';

/** Edges take a silent feed for a broken one after 15 s. */
const HEARTBEAT_MS = 5_000;

export const FEED_TYPE = 'application/x-ndjson';

const feedQuerySchema = z.object({
  after: z.coerce.number().int().nonnegative().default(0),
  epoch: z.string().optional(),
  protocol: z.coerce.number().int().nonnegative().default(1),
  /** The protocol that the reader's table was sent under. */
  held: z.coerce.number().int().nonnegative().default(1),
});

/** Where a reader is, and what it understands. */
interface FeedReader {
  readonly after: number;
  readonly epoch: string | undefined;
  readonly protocol: number;
  readonly held: number;
}

/** What the edges ask: with the edge token, never from outside. */
@Controller('internal/edge')
export class EdgeFeedController {
  constructor(
    private readonly feed: EdgeFeedRepository,
    private readonly shuttingDown: ShuttingDown,
    @Inject(NOTIFICATIONS) private readonly notifications: NotificationListener,
  ) {}

  @Get('feed')
  stream(@Query({ schema: feedQuerySchema }) asked: z.infer<typeof feedQuerySchema>, @Res() reply: FastifyReply): void {
    const protocol = chooseEdgeFeedProtocol(asked.protocol);
    if (protocol === null) throw tooOld(asked.protocol);
    const reader = { after: asked.after, epoch: asked.epoch, held: asked.held, protocol };
    const abort = new AbortController();
    reply.raw.once('close', () => abort.abort());
    const lines = this.lines(reader, AbortSignal.any([abort.signal, this.shuttingDown.signal]));
    void reply.type(FEED_TYPE).send(Readable.from(lines));
  }

  @Post('acks')
  @HttpCode(204)
  async acknowledge(@Body({ schema: edgeAckSchema }) ack: EdgeAck): Promise<void> {
    await this.feed.acknowledge(ack);
  }

  @Delete('edges/:edgeId')
  @HttpCode(204)
  async deregister(@Param('edgeId') edgeId: string): Promise<void> {
    await this.feed.forget(edgeId);
  }

  @Get('certificates/:certificateId')
  async certificate(
    @Param('certificateId', { schema: idSchema }) id: z.infer<typeof idSchema>,
  ): Promise<SealedCertificate> {
    const certificate = await this.feed.findCertificate(id);
    if (certificate === null) throw new RequestError('not_found', 'There is no such certificate.');
    return certificate;
  }

  /** From what the reader has to now, then each change as it is committed; a heartbeat when there is none. */
  private async *lines(reader: FeedReader, signal: AbortSignal): AsyncGenerator<string> {
    const { protocol } = reader;
    let told: FeedHead | null = null;
    while (!signal.aborted) {
      const wakeUp = this.notifications.next('edge_feed', HEARTBEAT_MS, signal);
      const head = await this.feed.head();
      const isReset = told === null ? mustStartOver(reader, head) : told.epoch !== head.epoch;
      const after = isReset ? 0 : (told?.version ?? reader.after);
      if (told === null || isReset || head.version > told.version) {
        const entries = await this.feed.changes(after, protocol);
        yield line({ kind: 'batch', ...head, protocol, after, reset: isReset, entries });
      } else yield line({ kind: 'heartbeat', version: head.version });
      told = head;
      await wakeUp;
    }
  }
}

function mustStartOver({ after, epoch, protocol, held }: FeedReader, head: FeedHead): boolean {
  return epoch !== head.epoch || after > head.version || held < protocol;
}

function tooOld(protocol: number): RequestError {
  const { oldest, newest } = edgeFeedProtocols;
  const message = `protocol: ${protocol} is not supported any more, only ${oldest} to ${newest}. Update the edge.`;
  return new RequestError('gone', message);
}

function line(message: EdgeFeedMessage): string {
  return JSON.stringify(message) + '\n';
}
