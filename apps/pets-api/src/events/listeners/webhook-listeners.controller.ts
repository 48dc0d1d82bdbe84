/**
 * Streams that receive webhook events, for development: `pets webhooks listen`.
 *
 * A stream is a row of `webhook_listeners`, so that every replica records deliveries for it in the transaction of an event,
 * as for an endpoint. Only the replica that has the stream takes them out of the table, signs them and writes them. The row
 * ends with its stream. If the replica dies, its rows expire within half a minute, and another one deletes them.
 */
import { hkdfSync } from 'node:crypto';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  Query,
  Req,
  Res,
  StreamableFile,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import {
  webhookEventTypes,
  webhookListenersQuerySchema,
  type ListenedDelivery,
  type WebhookListener,
  type WebhookListenersQuery,
  type WebhookListening,
} from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { RequestError, type KeyRing, type Logger } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LimitsService } from '../../access/limits/limits.service.js';
import { EVENT_STREAM_TYPE, prefersEventStream } from '../../http/negotiation.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG, DATABASE, LOG } from '../../platform/providers.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import type { EventStream } from '../streams/event-stream.js';
import { EventStreams } from '../streams/event-streams.service.js';
import { signWebhook, webhookSecretOf } from '../webhooks/sign-webhook.js';
import {
  WebhookListenersRepository,
  type TakenDelivery,
  type WebhookListenerRow,
} from './webhook-listeners.repository.js';

/** How long a client waits before it opens another stream, without a failure. */
const RETRY_MS = 1_000;
const SECRET_BYTES = 32;

/**
 * The secret of the streams of an API key. It is derived, so that a stream that is opened again at any replica has the same
 * one and nothing has to be stored. Another active key-encryption key leads to another secret.
 */
function deriveListenerSecret(
  { activeId, keys }: KeyRing,
  { organizationId, apiKeyId }: { readonly organizationId: string; readonly apiKeyId: string },
): string {
  const key = keys.get(activeId);
  if (key === undefined) throw new Error('the active key is not in its ring');
  const purpose = `webhook_listeners|${organizationId}|${apiKeyId}`;
  return webhookSecretOf(Buffer.from(hkdfSync('sha256', key, '', purpose, SECRET_BYTES)));
}

/** A listener as its owner reads it. */
function presentListener({ createdAt, ...row }: WebhookListenerRow): WebhookListener {
  return { ...row, createdAt: createdAt.toISOString() };
}

/** The first message of a stream. */
function listeningMessage(listening: WebhookListening): string {
  return `retry: ${RETRY_MS}\nevent: listening\ndata: ${JSON.stringify(listening)}\n\n`;
}

/** A delivery as an endpoint would receive it. */
function deliveryMessage({ id, type, subjectId, body }: TakenDelivery, secret: string, sentAt: Date): string {
  const headers = { 'content-type': 'application/json', ...signWebhook({ id, body, sentAt }, [secret]) };
  const delivery: ListenedDelivery = { id, type, subjectId, headers, body };
  return `event: delivery\ndata: ${JSON.stringify(delivery)}\n\n`;
}

/** Every event is written for each of them, so they are fewer than other streams. Of all replicas together. */
const MAX_LISTENERS = 10;
const RETRY_AFTER_SECONDS = '10';

const POLL_MS = 1_000;
const PAUSE_MS = 20;
/** Well within the lease of a row. */
const RENEWAL_MS = 10_000;

type Subscription = Pick<WebhookListenerRow, 'eventTypes' | 'projectId'>;

interface Listener {
  readonly stream: EventStream;
  readonly secret: string;
}

@Injectable()
export class WebhookListeners implements OnModuleInit, OnApplicationShutdown {
  /** Listeners of this replica, by id. */
  private readonly listeners = new Map<string, Listener>();
  private readonly closing = new Set<Promise<void>>();

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>,
    private readonly projects: ProjectsRepository,
    private readonly limits: LimitsService,
    private readonly streams: EventStreams,
    private readonly repository: WebhookListenersRepository,
    private readonly tasks: BackgroundTasks,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.tasks.poll({
      channel: 'webhook_deliveries',
      pollMs: POLL_MS,
      pauseMs: PAUSE_MS,
      failure: 'webhook events not written to streams; trying again',
      round: (signal) => this.writeNew(signal),
    });
    this.tasks.repeat({
      everyMs: RENEWAL_MS,
      failure: 'webhook listeners not renewed; trying again',
      run: () => this.renew(),
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.closing);
  }

  /** @throws RequestError `invalid_parameter` without the project, `rate_limited` and `unavailable` when too many are open */
  async open(
    { apiKeyId, sessionId, organizationId, limits }: Principal,
    query: WebhookListenersQuery,
  ): Promise<EventStream> {
    const { eventTypes = webhookEventTypes, projectId = null }: Partial<Subscription> = query;
    if (projectId !== null && !(await this.projects.exists(organizationId, projectId, this.db)))
      throw RequestError.ofField('invalid_parameter', 'projectId', 'there is no such project');
    const rights = { apiKeyId, sessionId, organizationId, scope: 'webhooks:write', projectId } as const;
    const stream = this.streams.open(rights, limits.eventStreams);
    try {
      const row = await this.register(organizationId, { eventTypes, projectId });
      const secret = deriveListenerSecret(this.config.CERTIFICATE_KEKS, { organizationId, apiKeyId });
      this.listeners.set(row.id, { stream, secret });
      if (stream.isClosed) this.close(row.id);
      else stream.readable.once('close', () => this.close(row.id));
      stream.write(Buffer.from(listeningMessage({ ...presentListener(row), secret })), performance.now());
      return stream;
    } catch (error) {
      stream.drop();
      throw error;
    }
  }

  private register(organizationId: string, subscription: Subscription): Promise<WebhookListenerRow> {
    return this.db.transaction().execute(async (tx) => {
      await this.limits.lock(tx, organizationId);
      if ((await this.repository.count(tx, organizationId)) >= MAX_LISTENERS)
        throw new RequestError(
          'rate_limited',
          `The organization can have at most ${MAX_LISTENERS} streams of webhook events open.`,
          { 'retry-after': RETRY_AFTER_SECONDS },
        );
      return this.repository.insert(tx, organizationId, subscription);
    });
  }

  private close(id: string): void {
    if (!this.listeners.delete(id)) return;
    const closed = this.repository
      .delete(id)
      // It expires.
      .catch((error: unknown) => this.log.warn({ err: error }, 'webhook listener not deleted'))
      .finally(() => this.closing.delete(closed));
    this.closing.add(closed);
  }

  /** A stream that has not read what it got gets more in a later round. */
  private async writeNew(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const ready = [...this.listeners].filter(([, { stream }]) => stream.isNearlyDrained);
      if (ready.length === 0) return;
      const deliveries = await this.repository.take(ready.map(([id]) => id));
      if (deliveries.length === 0) return;
      for (const delivery of deliveries) {
        const listener = this.listeners.get(delivery.listenerId);
        if (listener === undefined) continue; // its client has left
        const message = deliveryMessage(delivery, listener.secret, this.clock());
        listener.stream.write(Buffer.from(message), performance.now());
      }
    }
  }

  /** A stream whose row has expired has missed events: its client opens another one. */
  private async renew(): Promise<void> {
    const ids = [...this.listeners.keys()];
    const renewed = new Set(await this.repository.renew(ids));
    for (const id of ids) if (!renewed.has(id)) this.listeners.get(id)?.stream.end();
    await this.repository.deleteExpired();
  }
}

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
