/**
 * `GET /v1/projects/{projectId}/events` as `text/event-stream`: what happens to a project's domains, as it happens.
 *
 * A stream begins with where it stands (`ready`), catches up with the history in pages that wait for its reader, and then
 * joins the one feed of this replica. It ends when its key or session does, when its project is gone, when its reader
 * does not keep up, when its organization has more than its share and another wants one, and when the process stops; its client then comes back with the id of the last event it has seen, to
 * whichever replica. So nothing is kept of a stream that has ended, and nothing is lost with it.
 */
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { RequestError, type Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { DomainHistoryRepository } from '../../domains/history/domain-history.repository.js';
import { CLOCK, CONFIG, LOG } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { historyMessage, readyMessage } from './event-messages.js';
import { EventStream, type StreamRights } from './event-stream.js';
import { ProjectChangesRepository, type ProjectPlace } from './project-changes.repository.js';
import { ProjectEventBroadcaster } from './project-event-broadcaster.js';
import { StreamPlaces } from './stream-places.js';
import { StreamAccessRepository } from './stream-access.repository.js';

/** How often rights and readers are looked at: a key that is revoked has its streams for so long at most. */
const CHECK_MS = 1_000;
/** Lines that a stream catches up with at a time. */
const PAGE = 100;
const RETRY_AFTER_SECONDS = '10';

@Injectable()
export class EventStreams implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly streams = new Set<EventStream>();
  /** By organization, in the order they were opened. */
  private readonly ofOrganization = new Map<string, Set<EventStream>>();
  private readonly places: StreamPlaces;
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> | null = null;
  private readonly catchingUp = new Set<Promise<void>>();

  constructor(
    private readonly feed: ProjectEventBroadcaster,
    private readonly history: DomainHistoryRepository,
    private readonly changes: ProjectChangesRepository,
    private readonly access: StreamAccessRepository,
    private readonly shuttingDown: ShuttingDown,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) config: Pick<Config, 'EVENT_STREAMS'>,
    @Inject(LOG) private readonly log: Logger,
  ) {
    this.places = new StreamPlaces(config.EVENT_STREAMS);
  }

  /** How many are open at this replica. */
  get openCount(): number {
    return this.streams.size;
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.look(), CHECK_MS);
    this.shuttingDown.signal.addEventListener('abort', () => this.endAll(), { once: true });
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([this.checking, ...this.catchingUp]);
  }

  /**
   * Opens a stream of a project that its reader may see.
   * @param limit how many the organization may have open here
   * @param after the line of the history it goes on behind; null: the newest
   * @throws RequestError `invalid_parameter` beyond the newest line, `rate_limited` and `unavailable` when there are too many
   */
  async open(rights: StreamRights, limit: number, after: bigint | null): Promise<EventStream> {
    const place = await this.changes.placeOf(rights.projectId);
    const { eventNumber } = place;
    if (after !== null && after > eventNumber)
      throw RequestError.ofField(
        'invalid_parameter',
        'Last-Event-ID',
        `the newest event of this project is ${eventNumber}`,
      );
    this.makeRoom(rights.organizationId, limit);
    const start = after ?? eventNumber;
    const stream = new EventStream(rights, start, performance.now());
    this.register(stream);
    stream.write(Buffer.from(readyMessage(start)), performance.now());
    const catchingUp = this.catchUp(stream, place).finally(() => this.catchingUp.delete(catchingUp));
    this.catchingUp.add(catchingUp);
    return stream;
  }

  /** Refuses the stream, or closes one of an organization that has more than its share when all are open. */
  private makeRoom(organizationId: string, limit: number): void {
    const headers = { 'retry-after': RETRY_AFTER_SECONDS };
    if (this.shuttingDown.signal.aborted)
      throw new RequestError('unavailable', 'This server is stopping. Try again shortly.', headers);
    const admission = this.places.admit(organizationId, limit);
    switch (admission.kind) {
      case 'admit':
        return;
      case 'limit_reached':
        throw new RequestError('rate_limited', `The organization may have ${admission.limit} streams open.`, headers);
      case 'full':
        throw new RequestError('unavailable', 'There are too many streams open. Try again shortly.', headers);
      case 'replace':
        this.closeNewest(admission.organizationId);
    }
  }

  /** Its client comes back with the id of the last event it has seen, and misses nothing. */
  private closeNewest(organizationId: string): void {
    const newest = [...(this.ofOrganization.get(organizationId) ?? [])].at(-1);
    if (newest === undefined) return;
    // Not at the end of what was written: a reader that takes nothing would keep its place.
    newest.drop();
    this.forget(newest);
  }

  private register(stream: EventStream): void {
    const { organizationId } = stream.rights;
    this.streams.add(stream);
    this.places.take(organizationId);
    const others = this.ofOrganization.get(organizationId);
    if (others === undefined) this.ofOrganization.set(organizationId, new Set([stream]));
    else others.add(stream);
    stream.readable.once('close', () => this.forget(stream));
  }

  private forget(stream: EventStream): void {
    if (!this.streams.delete(stream)) return;
    const { organizationId } = stream.rights;
    this.feed.leave(stream);
    this.places.release(organizationId);
    const others = this.ofOrganization.get(organizationId);
    others?.delete(stream);
    if (others?.size === 0) this.ofOrganization.delete(organizationId);
  }

  /** In pages, each taken before the next is read, until the stream is where the feed is. */
  private async catchUp(stream: EventStream, { projectId, eventNumber, changeNumber }: ProjectPlace): Promise<void> {
    let isAtEnd = stream.lastNumber === eventNumber;
    try {
      while (!stream.isOver) {
        if (isAtEnd && this.feed.join(stream, changeNumber)) return;
        const page = await this.history.list({ projectId }, { limit: PAGE, afterId: String(stream.lastNumber) });
        for (const line of page) {
          stream.tell(line.id, Buffer.from(historyMessage(line)), performance.now());
          await stream.whenAlmostTaken();
        }
        isAtEnd = page.length < PAGE;
      }
    } catch (error) {
      this.log.warn({ err: error }, 'a stream could not catch up with the history, its client tries again');
      stream.drop();
    }
  }

  private look(): void {
    const nowMs = performance.now();
    for (const stream of this.streams) stream.beat(nowMs);
    this.checking ??= this.endLapsed().finally(() => (this.checking = null));
  }

  /** While the database does not answer there is nothing to tell either, so streams may stay. */
  private async endLapsed(): Promise<void> {
    try {
      const byRights = Map.groupBy(this.streams, ({ rights }) => keyOf(rights));
      const distinct = [...byRights.values()].flatMap(([first]) => first?.rights ?? []);
      for (const lapsed of await this.access.findLapsed(distinct, this.clock()))
        for (const stream of byRights.get(keyOf(lapsed)) ?? []) stream.end();
    } catch (error) {
      this.log.warn({ err: error }, 'the rights of open streams could not be checked, trying again');
    }
  }

  private endAll(): void {
    for (const stream of this.streams) stream.end();
  }
}

function keyOf({ apiKeyId, sessionId, projectId }: StreamRights): string {
  return `${apiKeyId} ${sessionId ?? ''} ${projectId}`;
}
