import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AutoResetEvent, pause } from '@pets/async';
import { MAX_BATCH_ENTRIES } from '@pets/contracts';
import type { NotificationListener } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { LOG, NOTIFICATIONS } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import {
  emptyBatch,
  encodeFrom,
  encodePart,
  FeedPagesRepository,
  type EncodedPart,
  type FeedPage,
  type SessionHead,
} from './feed-pages.repository.js';

/** How long a change may wait when its notification is lost. */
const POLL_MS = 5_000;

/** The shortest time between two reads: a burst of changes is read at once. */
const SPACING_MS = 10;

const RETRY_MS = 1_000;

/** A batch with more pages goes to each session at its own speed. */
const MAX_PAGES = 10;

/** A session that receives what the hub reads. */
export interface FeedMember {
  readonly epoch: string | undefined;
  /** Everything up to it was sent. */
  readonly version: number;
  /** Sends one part of a batch. */
  readonly deliver: (part: EncodedPart) => void;
  /** The hub sends nothing more: the session has to find its way from its position. */
  readonly resync: () => void;
}

/** `live`: receives all that follows. `behind`: the hub lacks changes after its version. `outdated`: it needs a snapshot. */
export type JoinOutcome = 'live' | 'behind' | 'outdated' | 'left';

/**
 * Reads each version of the feed once for all edges of this replica, encodes it once, and hands it to every
 * session. It keeps recent batches for sessions that join.
 */
@Injectable()
export class FeedHub implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #live = new Set<FeedMember>();
  #joining = new Map<FeedMember, (outcome: JoinOutcome) => void>();
  readonly #recent = new RecentBatches();
  readonly #wake = new AutoResetEvent();
  #head: SessionHead | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly pages: FeedPagesRepository,
    @Inject(NOTIFICATIONS) private readonly notifications: NotificationListener,
    private readonly shuttingDown: ShuttingDown,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  onApplicationBootstrap(): void {
    this.#running = this.#run(this.shuttingDown.signal);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#running;
  }

  /** The newest head that was read. */
  get head(): SessionHead | undefined {
    return this.#head;
  }

  /**
   * Reads the head, after this call, and brings a session up to it if its position is recent. From then on the session
   * receives every batch, until it leaves or is called to `resync`.
   */
  join(member: FeedMember): Promise<JoinOutcome> {
    return new Promise((resolve) => {
      this.#joining.set(member, resolve);
      this.#wake.set();
    });
  }

  leave(member: FeedMember): void {
    this.#live.delete(member);
    this.#joining.get(member)?.('left');
    this.#joining.delete(member);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const wake = () => this.#wake.set();
    const stopListening = this.notifications.on('edge_feed', wake);
    signal.addEventListener('abort', wake, { once: true });
    while (!signal.aborted) {
      const pauseMs = await this.#round().then(
        () => SPACING_MS,
        (error: unknown) => {
          if (!signal.aborted) this.log.warn({ err: error }, 'edge feed not read; trying again');
          this.#wake.set();
          return RETRY_MS;
        },
      );
      await pause(pauseMs, signal);
      if (!signal.aborted) await this.#wake.wait(POLL_MS);
    }
    stopListening();
  }

  async #round(): Promise<void> {
    const joining = [...this.#joining.keys()];
    await this.#read();
    for (const member of joining) {
      const resolve = this.#joining.get(member); // it may have left
      this.#joining.delete(member);
      resolve?.(this.#place(member));
    }
  }

  /** Reads and sends what is new. */
  async #read(): Promise<void> {
    const last = this.#head;
    let page = await this.#readFirst(last);
    if (last === undefined || !continues(page.head, last)) return this.#restart(page.head);
    if (page.head.version === last.version) return void (this.#head = page.head);
    const parts: EncodedPart[] = [];
    while (page.entries.length === MAX_BATCH_ENTRIES) {
      this.#send(parts, encodePart({ ...page, after: last.version, isLast: false }));
      const cursor = page.entries.at(-1);
      if (cursor === undefined || parts.length === MAX_PAGES) return this.#restart(page.head);
      page = await this.pages.page(cursor, MAX_BATCH_ENTRIES);
      if (!continues(page.head, last)) return this.#restart(page.head);
    }
    this.#send(parts, encodePart({ ...page, after: last.version, isLast: true }));
    this.#recent.addBatch({ after: last.version, version: page.head.version, parts });
    this.#head = page.head;
  }

  #send(parts: EncodedPart[], part: EncodedPart): void {
    parts.push(part);
    for (const member of this.#live) member.deliver(part);
  }

  /** Begins at a head without having read the changes before it. */
  #restart(head: SessionHead): void {
    this.#recent.clear();
    this.#head = head;
    const live = [...this.#live];
    this.#live.clear();
    for (const member of live) member.resync();
  }

  async #readFirst(last: SessionHead | undefined): Promise<FeedPage> {
    const read = () =>
      this.pages.page({ version: (last?.version ?? 0) + 1, host: '' }, last === undefined ? 0 : MAX_BATCH_ENTRIES);
    const page = await read();
    const { epoch, isOfOtherCluster } = page.head;
    if (!isOfOtherCluster) return page;
    if (await this.pages.adoptCluster(epoch))
      this.log.warn({ epoch }, 'the database is another cluster than before; the edges load a snapshot');
    return read();
  }

  #place(member: FeedMember): JoinOutcome {
    const head = this.#head;
    if (head === undefined) return 'behind';
    const { epoch, version } = member;
    if (epoch !== head.epoch || version > head.version || version < head.compactedVersion) return 'outdated';
    const missing = version === head.version ? [emptyBatch(head)] : this.#recent.since(version);
    if (missing === undefined) return 'behind';
    for (const part of missing) member.deliver(part);
    this.#live.add(member);
    return 'live';
  }
}

/** Whether a page has all changes after an earlier head: ended routes up to the compacted version may have been deleted. */
function continues({ epoch, version, compactedVersion }: SessionHead, last: SessionHead): boolean {
  return epoch === last.epoch && version >= last.version && compactedVersion <= last.version;
}

/** Bytes of recent changes to keep: those of a few minutes, and less than a session may have unsent. */
const MAX_BYTES = 4 * 1024 * 1024;

/** All changes in (after, version], in parts. */
export interface RecentBatch {
  readonly after: number;
  readonly version: number;
  readonly parts: readonly EncodedPart[];
}

/** The newest batches without a gap, for sessions that join. */
export class RecentBatches {
  #batches: RecentBatch[] = [];
  #bytes = 0;

  /** Adds the batch after the newest one. */
  addBatch(batch: RecentBatch): void {
    this.#batches.push(batch);
    this.#bytes += bytesOf(batch);
    while (this.#bytes > MAX_BYTES) {
      const oldest = this.#batches.shift();
      if (oldest !== undefined) this.#bytes -= bytesOf(oldest);
    }
  }

  clear(): void {
    this.#batches = [];
    this.#bytes = 0;
  }

  /** The messages for a reader at a version; undefined when they reach less far back. */
  since(version: number): EncodedPart[] | undefined {
    const first = this.#batches.findIndex((batch) => batch.after <= version && version < batch.version);
    if (first === -1) return undefined;
    return this.#batches.slice(first).flatMap((batch) => {
      if (batch.after >= version) return batch.parts;
      return batch.parts.map((part) =>
        encodeFrom(part, version, part.version === batch.version ? part.version : version),
      );
    });
  }
}

function bytesOf({ parts }: RecentBatch): number {
  return parts.reduce((sum, part) => sum + part.bytes.length, 0);
}
