import { Readable } from 'node:stream';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query, Res } from '@nestjs/common';
import { chooseEdgeFeedProtocol, edgeAckSchema, type EdgeAck, type EdgeFeedMessage } from '@pets/contracts';
import type { NotificationListener } from '@pets/persistence';
import { DependencyUnavailable } from '@pets/platform';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { NOTIFICATIONS } from '../platform/providers.js';
import { ShuttingDown } from '../platform/shutting-down.js';
import { EdgeFeedRepository, type FeedHead } from './edge-feed.repository.js';
import { unsupportedProtocol } from './feed-protocol.js';
import { ReportBatches } from './sessions/report-batches.js';

/** Edges reconnect after 15 s without a message. */
const HEARTBEAT_MS = 5_000;

export const FEED_TYPE = 'application/x-ndjson';

/** Later protocols have sessions. */
const streamProtocols = { oldest: 1, newest: 2 } as const;

const feedQuerySchema = z.object({
  after: z.coerce.number().int().nonnegative().default(0),
  epoch: z.string().optional(),
  protocol: z.coerce.number().int().nonnegative().default(1),
  /** The protocol of the reader's routes. */
  held: z.coerce.number().int().nonnegative().default(1),
});

/** The position of a reader, and the protocols it supports. */
interface FeedReader {
  readonly after: number;
  readonly epoch: string | undefined;
  readonly protocol: number;
  readonly held: number;
}

/** The requests of edges, on the internal listener and with the edge token. Up to protocol 2, the feed is a stream. */
@Controller('internal/edge')
export class EdgeFeedController {
  constructor(
    private readonly feed: EdgeFeedRepository,
    private readonly reports: ReportBatches,
    private readonly shuttingDown: ShuttingDown,
    @Inject(NOTIFICATIONS) private readonly notifications: NotificationListener,
  ) {}

  @Get('feed')
  stream(@Query({ schema: feedQuerySchema }) query: z.infer<typeof feedQuerySchema>, @Res() reply: FastifyReply): void {
    const protocol = chooseEdgeFeedProtocol(query.protocol, streamProtocols);
    if (protocol === null) throw unsupportedProtocol(query.protocol);
    const reader = { after: query.after, epoch: query.epoch, held: query.held, protocol };
    const abort = new AbortController();
    reply.raw.once('close', () => abort.abort());
    const lines = this.lines(reader, AbortSignal.any([abort.signal, this.shuttingDown.signal]));
    void reply.type(FEED_TYPE).send(Readable.from(lines));
  }

  @Post('acks')
  @HttpCode(204)
  async acknowledge(@Body({ schema: edgeAckSchema }) ack: EdgeAck): Promise<void> {
    const { newest: protocol } = streamProtocols;
    const report = { ...ack, protocol, sessionId: null, region: null, isRegistration: true };
    const outcome = await this.reports.store(report, -1);
    if (outcome === 'failed')
      throw new DependencyUnavailable('PostgreSQL', new Error('the acknowledgement was not stored'));
  }

  @Delete('edges/:edgeId')
  @HttpCode(204)
  async deregister(@Param('edgeId') edgeId: string): Promise<void> {
    await this.feed.forget(edgeId);
  }

  /** The changes since the reader's position, then each change after its commit, and heartbeats between them. */
  private async *lines(reader: FeedReader, signal: AbortSignal): AsyncGenerator<string> {
    const { protocol } = reader;
    let position = reader;
    let isFirst = true;
    while (!signal.aborted) {
      const wakeUp = this.notifications.next('edge_feed', HEARTBEAT_MS, signal);
      const head = await this.feed.head();
      const { epoch, version, thumbprint } = head;
      const isReset = mustReset(position, head);
      const after = isReset ? 0 : position.after;
      if (isFirst || isReset || version > after) {
        const entries = await this.feed.changes(after, protocol);
        // Ended routes may have been deleted between the two reads.
        if (!isReset && (await this.feed.head()).compactedVersion > after) continue;
        yield line({ kind: 'batch', epoch, version, thumbprint, protocol, after, reset: isReset, entries });
      } else yield line({ kind: 'heartbeat', version });
      position = { after: version, epoch, held: protocol, protocol };
      isFirst = false;
      await wakeUp;
    }
  }
}

function mustReset({ after, epoch, protocol, held }: FeedReader, head: FeedHead): boolean {
  return epoch !== head.epoch || after > head.version || after < head.compactedVersion || held < protocol;
}

function line(message: EdgeFeedMessage): string {
  return JSON.stringify(message) + '\n';
}
