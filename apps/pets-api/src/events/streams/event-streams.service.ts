/**
 * The event streams that are open at this replica, of all kinds. One ends when its key or session ends or loses the scope,
 * its project is gone, its reader does not keep up, another organization needs its place, or the process stops.
 */
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { RequestError, type Logger } from '@pets/platform';
import { sql } from 'kysely';
import { isLiveSetupLink } from '../../names/live-setup-links.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG, DATABASE, LOG } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { ANONYMOUS_READY, EventStream, readyMessage, type ProjectRights, type StreamRights } from './event-stream.js';
import { ProjectChangesRepository } from './project-changes.repository.js';
import { ProjectEventBroadcaster } from './project-event-broadcaster.js';

@Injectable()
export class StreamAccessRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Rights that have ended with their key, its scope, their session, set-up link or project. One statement for all. */
  async findLapsed(rights: readonly StreamRights[], now: Date): Promise<StreamRights[]> {
    if (rights.length === 0) return [];
    const { rows } = await sql<{ place: number }>`
      select r.place::integer as place
      from unnest(
        ${rights.map(({ apiKeyId }) => apiKeyId)}::uuid[], ${rights.map(({ sessionId }) => sessionId)}::uuid[],
        ${rights.map(({ organizationId }) => organizationId)}::uuid[], ${rights.map(({ scope }) => scope)}::text[],
        ${rights.map(({ projectId }) => projectId)}::uuid[],
        ${rights.map(({ setupLinkId = null }) => setupLinkId)}::uuid[]
      ) with ordinality as r (api_key_id, session_id, organization_id, scope, project_id, setup_link_id, place)
      where r.setup_link_id is not null
          and not exists (select from setup_links l where l.id = r.setup_link_id and ${isLiveSetupLink(now)})
        or r.setup_link_id is null and not exists (
          select from api_keys k
          where k.id = r.api_key_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > ${now})
            and k.scopes @> array[r.scope]
        )
        or r.session_id is not null
          and not exists (select from sessions s where s.id = r.session_id and s.expires_at > ${now})
        or r.project_id is not null
          and not exists (select from projects p where p.id = r.project_id and p.organization_id = r.organization_id)
    `.execute(this.db);
    const ordinals = new Set(rows.map(({ place }) => place));
    return rights.filter((_one, index) => ordinals.has(index + 1));
  }
}

/** Ends the streams whose key or session ended or lost the scope, or whose project is gone. */
@Injectable()
export class StreamRightsCheck {
  constructor(
    private readonly access: StreamAccessRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Streams may stay while the database does not respond: without it there are no events to send either. */
  async endLapsed(streams: Iterable<EventStream>): Promise<void> {
    try {
      const byRights = Map.groupBy(streams, ({ rights }) => keyOf(rights));
      const distinct = [...byRights.values()].flatMap(([first]) => first?.rights ?? []);
      for (const lapsed of await this.access.findLapsed(distinct, this.clock()))
        for (const stream of byRights.get(keyOf(lapsed)) ?? []) stream.end();
    } catch (error) {
      this.log.warn({ err: error }, 'rights of event streams not checked; trying again');
    }
  }
}

function keyOf({ apiKeyId, sessionId, setupLinkId, scope, projectId }: StreamRights): string {
  return `${apiKeyId ?? ''} ${sessionId ?? ''} ${setupLinkId ?? ''} ${scope} ${projectId ?? ''}`;
}

/** How often rights and readers are checked: the streams of a revoked key end within this time. */
const CHECK_MS = 1_000;
const RETRY_AFTER_SECONDS = '10';

@Injectable()
export class EventStreams implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly streams = new Set<EventStream>();
  /** Streams by organization, in the order they were opened. */
  private readonly ofOrganization = new Map<string, Set<EventStream>>();
  private readonly quota: StreamQuota;
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> | null = null;

  constructor(
    private readonly rights: StreamRightsCheck,
    private readonly shuttingDown: ShuttingDown,
    @Inject(CONFIG) config: Pick<Config, 'EVENT_STREAMS'>,
  ) {
    this.quota = new StreamQuota(config.EVENT_STREAMS);
  }

  /** The number of streams that are open at this replica. */
  get openCount(): number {
    return this.streams.size;
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.check(), CHECK_MS);
    this.shuttingDown.signal.addEventListener('abort', () => this.endAll(), { once: true });
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.checking;
  }

  /**
   * Opens a stream for a reader who has the rights.
   * @param limit how many the organization may have open here
   * @param last the number of the last line of history that the reader has
   * @throws RequestError `rate_limited` and `unavailable` when there are too many
   */
  open<Rights extends StreamRights>(rights: Rights, limit: number, last = 0n): EventStream<Rights> {
    this.makeRoom(rights.organizationId, limit);
    const stream = new EventStream(rights, last, performance.now());
    this.register(stream);
    return stream;
  }

  /** Refuses the stream, or closes one of an organization with more than its share when all are open. */
  private makeRoom(organizationId: string, limit: number): void {
    const headers = { 'retry-after': RETRY_AFTER_SECONDS };
    if (this.shuttingDown.signal.aborted)
      throw new RequestError('unavailable', 'This server is stopping. Try again shortly.', headers);
    const admission = this.quota.admit(organizationId, limit);
    switch (admission.kind) {
      case 'admit':
        return;
      case 'limit_reached': {
        const message = `The organization can have at most ${admission.limit} event streams open.`;
        throw new RequestError('rate_limited', message, headers);
      }
      case 'full':
        throw new RequestError('unavailable', 'Too many event streams are open. Try again shortly.', headers);
      case 'replace':
        this.closeNewest(admission.organizationId);
    }
  }

  /** Closes the newest stream of an organization. Its client opens another one. */
  private closeNewest(organizationId: string): void {
    const newest = [...(this.ofOrganization.get(organizationId) ?? [])].at(-1);
    if (newest === undefined) return;
    // `end` would wait for a reader that reads nothing, and keep its place.
    newest.drop();
    this.unregister(newest);
  }

  private register(stream: EventStream): void {
    const { organizationId } = stream.rights;
    this.streams.add(stream);
    this.quota.acquire(organizationId);
    const others = this.ofOrganization.get(organizationId);
    if (others === undefined) this.ofOrganization.set(organizationId, new Set([stream]));
    else others.add(stream);
    stream.readable.once('close', () => this.unregister(stream));
  }

  private unregister(stream: EventStream): void {
    if (!this.streams.delete(stream)) return;
    const { organizationId } = stream.rights;
    this.quota.release(organizationId);
    const others = this.ofOrganization.get(organizationId);
    others?.delete(stream);
    if (others?.size === 0) this.ofOrganization.delete(organizationId);
  }

  private check(): void {
    const nowMs = performance.now();
    for (const stream of this.streams) stream.keepAlive(nowMs);
    this.checking ??= this.rights.endLapsed(this.streams).finally(() => (this.checking = null));
  }

  private endAll(): void {
    for (const stream of this.streams) stream.end();
  }
}

/** Whether another stream may be opened. `replace`: once a stream of that organization is closed. */
export type Admission =
  | { readonly kind: 'admit' }
  | { readonly kind: 'replace'; readonly organizationId: string }
  | { readonly kind: 'limit_reached'; readonly limit: number }
  | { readonly kind: 'full' };

/**
 * Shares the streams that a server can keep open. An organization may have as many as its limit, and at most half of all.
 * When all are open, an organization below its fair share (all, divided by the organizations that have one or request one)
 * replaces a stream of the organization with the most, so that no organization can keep others out.
 */
export class StreamQuota {
  readonly #capacity: number;
  readonly #counts = new Map<string, number>();
  #total = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get total(): number {
    return this.#total;
  }

  countOf(organizationId: string): number {
    return this.#counts.get(organizationId) ?? 0;
  }

  admit(organizationId: string, limit: number): Admission {
    const own = this.countOf(organizationId);
    const max = Math.min(limit, Math.ceil(this.#capacity / 2));
    if (own >= max) return { kind: 'limit_reached', limit: max };
    if (this.#total < this.#capacity) return { kind: 'admit' };
    const organizations = this.#counts.size + (own === 0 ? 1 : 0);
    const largest = this.#largest();
    if (own >= Math.floor(this.#capacity / organizations) || largest === undefined) return { kind: 'full' };
    return { kind: 'replace', organizationId: largest };
  }

  acquire(organizationId: string): void {
    this.#counts.set(organizationId, this.countOf(organizationId) + 1);
    this.#total += 1;
  }

  release(organizationId: string): void {
    const left = this.countOf(organizationId) - 1;
    if (left > 0) this.#counts.set(organizationId, left);
    else this.#counts.delete(organizationId);
    this.#total -= 1;
  }

  #largest(): string | undefined {
    let found: string | undefined;
    for (const [organizationId, count] of this.#counts) {
      if (found === undefined || count > this.countOf(found)) found = organizationId;
    }
    return found;
  }
}

/**
 * `GET /v1/projects/{projectId}/events` as `text/event-stream`: the events of a project's domains as they happen.
 *
 * A stream starts with its position (`ready`), catches up with the history page by page, and then receives new events from
 * the broadcaster of this replica. When it ends, the client reconnects to any replica with the id of the last event that it
 * received, so no state of a stream is kept and no event is lost.
 */
@Injectable()
export class ProjectStreams {
  constructor(
    private readonly streams: EventStreams,
    private readonly broadcaster: ProjectEventBroadcaster,
    private readonly changes: ProjectChangesRepository,
  ) {}

  /**
   * Opens a stream of a project that its reader may see.
   * @param limit how many the organization may have open here
   * @param after the line of the history to continue after; null: the newest
   * @throws RequestError `invalid_parameter` beyond the newest line, `rate_limited` and `unavailable` when there are too many
   */
  async open(rights: ProjectRights, limit: number, after: bigint | null): Promise<EventStream> {
    const position = await this.changes.getPosition(rights.projectId);
    const { eventNumber } = position;
    if (after !== null && after > eventNumber)
      throw RequestError.ofField(
        'invalid_parameter',
        'Last-Event-ID',
        `the newest event of this project is ${eventNumber}`,
      );
    const start = after ?? eventNumber;
    const stream = this.streams.open(rights, limit, start);
    stream.readable.once('close', () => this.broadcaster.leave(stream));
    const ready = rights.domainIds === undefined ? readyMessage(start) : ANONYMOUS_READY;
    stream.write(Buffer.from(ready), performance.now());
    this.broadcaster.follow(stream, position);
    return stream;
  }
}
