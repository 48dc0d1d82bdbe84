import { Inject, Injectable } from '@nestjs/common';
import { MAX_BATCH_ENTRIES } from '@pets/contracts';
import type { Logger } from '@pets/platform';
import { LOG } from '../../platform/providers.js';
import { EdgeSnapshots } from '../feed-protocol.js';
import { closeCodes, type EdgeSession } from './edge-session.js';
import { FeedHub } from './feed-hub.js';
import { encodePart, FeedPagesRepository } from './feed-pages.repository.js';

/** An edge that lacks more changes loads a snapshot, if there is a newer one: that costs the database nothing. */
const MAX_CHANGES = 50_000;

/** Pages read at a time, so that edges that join together leave connections for requests. */
const MAX_READS = 3;

/** Brings registered sessions up to the feed's head, where the hub takes over. */
@Injectable()
export class CatchUp {
  #reads = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(
    private readonly hub: FeedHub,
    private readonly pages: FeedPagesRepository,
    private readonly snapshots: EdgeSnapshots,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  /**
   * Resolves when the hub has taken over, or the session has ended, as after a snapshot. Ends the session when the database
   * or the storage does not answer; its edge connects again.
   */
  async run(session: EdgeSession): Promise<void> {
    try {
      await this.#run(session);
    } catch (error) {
      const edgeId = session.newest?.edgeId;
      if (!session.isClosing) this.log.warn({ err: error, edgeId }, 'session of an edge not continued; it reconnects');
      session.close(closeCodes.tryAgainLater, 'the feed cannot be read');
    }
  }

  async #run(session: EdgeSession): Promise<void> {
    while (!session.isClosing) {
      switch (await this.hub.join(session)) {
        case 'live':
        case 'left':
          return;
        case 'outdated':
          return this.#sendSnapshot(session);
        case 'behind':
          if (await this.#isTooFarBehind(session)) return this.#sendSnapshot(session);
          await this.#sendChanges(session);
      }
    }
  }

  async #isTooFarBehind(session: EdgeSession): Promise<boolean> {
    const isFar = await this.#read(() => this.pages.isBehindBy(session.version, MAX_CHANGES));
    // A snapshot that is older than the edge's own table would not help.
    return isFar && (await this.snapshots.current()).version > session.version;
  }

  async #sendSnapshot(session: EdgeSession): Promise<void> {
    const reference = await this.snapshots.current();
    session.send(reference);
    session.close(closeCodes.snapshot, 'continue from the snapshot');
  }

  /** Sends everything up to the head, a page at a time, each when the one before has left this process. */
  async #sendChanges(session: EdgeSession): Promise<void> {
    const { epoch, version: after } = session;
    let cursor = { version: after + 1, host: '' };
    while (!session.isClosing) {
      const page = await this.#read(() => this.pages.page(cursor, MAX_BATCH_ENTRIES));
      // The page may lack what the session needs. The hub says what follows.
      if (page.head.epoch !== epoch || page.head.compactedVersion > after) return;
      const last = page.entries.at(-1);
      const isLast = last === undefined || page.entries.length < MAX_BATCH_ENTRIES;
      await session.deliverAndWait(encodePart({ ...page, after, isLast }));
      if (isLast) return;
      cursor = last;
    }
  }

  async #read<T>(query: () => Promise<T>): Promise<T> {
    while (this.#reads >= MAX_READS) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#reads++;
    try {
      return await query();
    } finally {
      this.#reads--;
      this.#waiting.shift()?.();
    }
  }
}
