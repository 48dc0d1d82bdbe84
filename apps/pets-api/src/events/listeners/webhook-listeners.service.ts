/**
 * Streams that receive webhook events, for development: `pets webhooks listen`.
 *
 * A stream is a row of `webhook_listeners`, so that every replica records deliveries for it in the transaction of an event,
 * as for an endpoint. Only the replica that has the stream takes them out of the table, signs them and writes them. The row
 * ends with its stream. If the replica dies, its rows expire within half a minute, and another one deletes them.
 */
import { hkdfSync } from 'node:crypto';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import {
  webhookEventTypes,
  type ListenedDelivery,
  type WebhookEventType,
  type WebhookListener,
  type WebhookListenersQuery,
  type WebhookListening,
  type WebhookMessageType,
} from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { RequestError, type KeyRing, type Logger } from '@pets/platform';
import { sql } from 'kysely';
import { LimitsService } from '../../access/limits/limits.service.js';
import { type Principal } from '../../http/principal.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG, DATABASE, LOG } from '../../platform/providers.js';
import { ProjectsRepository } from '../../projects/projects.repository.js';
import type { EventStream } from '../streams/event-stream.js';
import { EventStreams } from '../streams/event-streams.service.js';
import { signWebhook, webhookSecretOf } from '../webhooks/sign-webhook.js';

interface WebhookListenerRow {
  readonly id: string;
  readonly eventTypes: readonly WebhookEventType[];
  readonly projectId: string | null;
  readonly createdAt: Date;
}

/** A delivery that was taken out of the table. */
interface TakenDelivery {
  readonly listenerId: string;
  readonly id: string;
  readonly number: bigint;
  readonly type: WebhookMessageType;
  readonly subjectId: string;
  readonly body: string;
}

/** Time without a renewal after which the server of the stream is gone: several rounds of renewal. */
const LEASE_SECONDS = 30;

/** Deliveries that one stream gets at a time: fewer bytes than for which it is dropped. */
const MAX_TAKEN = 50;
const MAX_TAKEN_BYTES = 64 * 1024;

const columns = ['id', 'event_types as eventTypes', 'project_id as projectId', 'created_at as createdAt'] as const;
const leaseEnd = sql<Date>`now() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})`;
const isOpen = sql<boolean>`expires_at > now()`;

@Injectable()
export class WebhookListenersRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async count(tx: Tx, organizationId: string): Promise<number> {
    const { count } = await tx
      .selectFrom('webhook_listeners')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId)
      .where(isOpen)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async insert(
    tx: Tx,
    organizationId: string,
    { eventTypes, projectId }: Pick<WebhookListenerRow, 'eventTypes' | 'projectId'>,
  ): Promise<WebhookListenerRow> {
    return tx
      .insertInto('webhook_listeners')
      .values({
        organization_id: organizationId,
        project_id: projectId,
        event_types: eventTypes,
        expires_at: leaseEnd,
      })
      .returning(columns)
      .executeTakeFirstOrThrow();
  }

  /** The open streams of an organization. They are few, so there are no pages. */
  async list(organizationId: string): Promise<WebhookListenerRow[]> {
    return this.db
      .selectFrom('webhook_listeners')
      .select(columns)
      .where('organization_id', '=', organizationId)
      .where(isOpen)
      .orderBy('number')
      .execute();
  }

  /** @returns the ids of those that were there */
  async renew(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const renewed = await this.db
      .updateTable('webhook_listeners')
      .set({ expires_at: leaseEnd })
      .where('id', 'in', ids)
      .returning('id')
      .execute();
    return renewed.map(({ id }) => id);
  }

  /** Deletes a listener with the deliveries that it has not taken. */
  async delete(id: string): Promise<void> {
    await sql`
      with gone as (delete from webhook_listeners where id = ${id})
      delete from webhook_deliveries where endpoint_id = ${id}`.execute(this.db);
  }

  /** Deletes listeners whose server is gone, with their deliveries. */
  async deleteExpired(): Promise<void> {
    await sql`
      with gone as (delete from webhook_listeners where expires_at <= now() returning id)
      delete from webhook_deliveries d using gone where d.endpoint_id = gone.id`.execute(this.db);
  }

  /** Takes the oldest deliveries of each of these listeners, in their order. */
  async take(ids: readonly string[]): Promise<TakenDelivery[]> {
    const { rows } = await sql<TakenDelivery>`
      with oldest as (
        select d.id from unnest(${ids}::uuid[]) as l (id)
        cross join lateral (
          select waiting.id,
            sum(octet_length(waiting.body)) over (order by waiting.number) - octet_length(waiting.body) as bytes_before
          from (
            select id, number, body from webhook_deliveries where endpoint_id = l.id
            order by number limit ${sql.lit(MAX_TAKEN)}
          ) waiting
        ) d
        where d.bytes_before < ${sql.lit(MAX_TAKEN_BYTES)}
      )
      delete from webhook_deliveries d using oldest where d.id = oldest.id
      returning d.endpoint_id as "listenerId", d.id, d.number, d.type, d.subject_id as "subjectId", d.body`.execute(
      this.db,
    );
    return rows.sort((a, b) => (a.number < b.number ? -1 : 1));
  }
}

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
export function presentListener({ createdAt, ...row }: WebhookListenerRow): WebhookListener {
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
