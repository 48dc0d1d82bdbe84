import { outsideTenants, type NotificationListener } from '@pets/persistence';
import type { EdgeProgress, EdgeFeedRepository } from './edge-feed.repository.js';
import type { AwaitedVersions } from './awaited-versions.js';

/** How long a wait may miss an acknowledgement that another replica stores before it learns of the wait. */
const RECHECK_MS = 100;

type IsDone = (edges: readonly EdgeProgress[]) => boolean;

interface Wait {
  readonly version: number;
  readonly isDone: IsDone;
  readonly endsAtMs: number;
  readonly resolve: (edges: readonly EdgeProgress[]) => void;
  readonly reject: (error: unknown) => void;
  isAnnounced: boolean;
}

/**
 * All waits of this replica for acknowledgements of edges, with one statement at a time: the number of waits does not change
 * what they cost the database.
 */
export class AcknowledgementPoll {
  readonly #waits = new Set<Wait>();
  #isRunning = false;
  #wake: () => void = () => undefined;

  constructor(
    private readonly feed: Pick<EdgeFeedRepository, 'listProgress'>,
    private readonly awaited: AwaitedVersions,
    private readonly notifications: NotificationListener,
    private readonly stalenessSeconds: number,
  ) {}

  /**
   * Waits until the edges are as `isDone` wants them, or the time is over.
   * @returns the edges as they were read last
   */
  wait(version: number, isDone: IsDone, limitMs: number): Promise<readonly EdgeProgress[]> {
    return new Promise((resolve, reject) => {
      this.#waits.add({ version, isDone, endsAtMs: Date.now() + limitMs, resolve, reject, isAnnounced: false });
      this.#wake();
      if (!this.#isRunning) void outsideTenants(() => this.#run());
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      while (this.#waits.size > 0) await this.#round();
    } catch (error) {
      for (const wait of this.#waits) wait.reject(error);
      this.#waits.clear();
    } finally {
      this.#isRunning = false;
      this.#wake = () => undefined;
    }
  }

  async #round(): Promise<void> {
    const added = new AbortController();
    this.#wake = () => added.abort();
    const waits = [...this.#waits];
    const firstEndMs = Math.min(...waits.map(({ endsAtMs }) => endsAtMs));
    const pauseMs = Math.min(RECHECK_MS, Math.max(firstEndMs - Date.now(), 0));
    const acknowledged = this.notifications.next('edge_acks', pauseMs, added.signal);
    try {
      const edges = await this.feed.listProgress(this.stalenessSeconds);
      for (const wait of waits) {
        if (!wait.isDone(edges) && Date.now() < wait.endsAtMs) continue;
        this.#waits.delete(wait);
        wait.resolve(edges);
      }
      await this.#announce(waits.filter((wait) => !wait.isAnnounced && this.#waits.has(wait)));
      if (this.#waits.size > 0) await acknowledged;
    } finally {
      added.abort();
    }
  }

  async #announce(waits: readonly Wait[]): Promise<void> {
    if (waits.length === 0) return;
    for (const wait of waits) wait.isAnnounced = true;
    await this.awaited.announce([...new Set(waits.map(({ version }) => version))]);
  }
}
