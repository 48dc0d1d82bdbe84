/**
 * The event streams that are open at this replica, of all kinds. One ends when its key or session ends or loses the scope,
 * its project is gone, its reader does not keep up, another organization needs its place, or the process stops.
 */
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { RequestError } from '@pets/platform';
import type { Config } from '../../platform/config.js';
import { CONFIG } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { EventStream, type StreamRights } from './event-stream.js';
import { StreamRightsCheck } from './stream-access.repository.js';

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
