import type { Logger } from '@pets/platform';
import type { Lease } from './lease.js';
import type { RouteTable } from './route-table.js';
import type { SnapshotStore } from './snapshot-store.js';

/** How long an acknowledgement waits for new certificates, so that it also means "can serve them". */
const CERTIFICATES_LIMIT_MS = 2_000;

export interface AppliedChange {
  /** Traffic has stopped for some host: somebody waits to be told, so nothing may hold up the acknowledgement. */
  readonly isUrgent: boolean;
  /** Settles when the new certificates have been fetched, or could not be. */
  readonly certificatesFetched: Promise<unknown>;
}

/**
 * Makes applied versions lasting and then has them acknowledged: snapshot on disk, certificates at hand, ack. Applying
 * comes before and is synchronous, so the worst a crash in between can do is to leave a version unacknowledged.
 * Batches that arrive meanwhile are settled together in the next round.
 */
export class Settler {
  #settled = { epoch: '', version: 0 };
  #isDirty = false;
  #isUrgent = false;
  #fetching: Promise<unknown>[] = [];
  #running: Promise<void> | undefined;
  #hurry: () => void = () => undefined;
  #isStopped = false;

  constructor(
    private readonly table: RouteTable,
    private readonly lease: Lease,
    private readonly store: Pick<SnapshotStore, 'save'>,
    private readonly acknowledge: () => Promise<boolean>,
    private readonly log: Logger,
  ) {}

  /** The newest position that survives a crash of this process, which is what may be acknowledged. */
  get settled(): { readonly epoch: string; readonly version: number } {
    return this.#settled;
  }

  /** What was loaded from disk is lasting already. */
  restored(): void {
    const { epoch, version } = this.table.state;
    this.#settled = { epoch, version };
  }

  applied(change: AppliedChange): void {
    this.#isDirty = true;
    this.#fetching.push(change.certificatesFetched);
    if (change.isUrgent) {
      this.#isUrgent = true;
      this.#hurry();
    }
    this.retry();
  }

  /** Settles what an earlier failure, such as a full disk, left unsettled. */
  retry(): void {
    if (!this.#isDirty || this.#isStopped) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when the round under way has ended; there will be no other. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#hurry();
    await this.#running;
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // the contact that came with the first batch is noted right after it was applied
    while (this.#isDirty && !this.#isStopped) {
      const { epoch, version } = this.table.state;
      const fetching = this.#fetching;
      [this.#isDirty, this.#fetching] = [false, []];
      try {
        // A removal must not come undone; what else is lost with the machine, the feed or a fresh start brings back.
        const outlasts = this.#isUrgent ? 'machine' : 'process';
        await this.store.save(this.table.state, this.lease.contactAtMs ?? 0, outlasts);
      } catch (error) {
        this.#isDirty = true;
        this.#fetching.push(...fetching);
        this.log.error({ err: error, version }, 'snapshot write failed; version not acknowledged');
        return;
      }
      await this.#waitForCertificates(fetching);
      this.#settled = { epoch, version };
      if (this.#isUrgent && this.#isDirty) continue;
      this.#isUrgent = false;
      if (!this.#isStopped) void this.acknowledge();
    }
  }

  async #waitForCertificates(fetching: readonly Promise<unknown>[]): Promise<void> {
    if (this.#isUrgent || this.#isStopped) return;
    let timer: NodeJS.Timeout | undefined;
    const cutShort = new Promise<void>((resolve) => {
      this.#hurry = resolve;
      timer = setTimeout(resolve, CERTIFICATES_LIMIT_MS);
    });
    await Promise.race([Promise.allSettled(fetching), cutShort]);
    clearTimeout(timer);
    this.#hurry = () => undefined;
  }
}
