import { exponentialDelayMs, pause, retry } from '@pets/async';
import type { EdgeSessionAck, EdgeSnapshotReference } from '@pets/contracts/edge-feed';
import type { Logger } from '@pets/platform';
import type { FeedBatch, TableChange } from '../store/route-changes.js';
import type { RouteStore } from '../store/route-store.js';
import { StoreDamagedError } from '../store/store-damaged-error.js';
import type { TableWork } from '../tables/table-work.js';
import { ChangeTraces } from './change-traces.js';
import { FeedFollower, type LoadableFeed } from './feed-follower.js';
import { FeedError, type FeedTarget } from './feed-session.js';
import { ackIntervalMs, contactAheadMs, Lease } from './lease.js';
import type { FeedProcess, ServingProcesses } from './serving-processes.js';

/** How soon after the end of its lease an edge registers again. Serving processes check the lease at every look-up. */
const LAPSE_CHECK_MS = 500;

/** How long a starting edge waits for the API before it serves from its store, if the lease is valid. */
const FIRST_SYNC_LIMIT_MS = 5_000;

const WRITE_RETRY_DELAY = { firstMs: 200, maxMs: 5_000 };

/** How often the checksums of the complete table are verified. */
const SCAN_INTERVAL_MS = 6 * 60 * 60_000;

export interface ReplicaSettings {
  readonly edgeId: string;
  readonly maxStalenessSeconds: number;
  /** Read at each acknowledgement: the ports, which are known only after the start, and what there is to report. */
  readonly addresses: () => Pick<
    EdgeSessionAck,
    'httpAddress' | 'httpsAddress' | 'handshakes' | 'originTests' | 'originHealth'
  >;
  readonly region?: string | undefined;
}

export interface ReplicaParts {
  readonly target: FeedTarget;
  readonly store: RouteStore;
  readonly processes: ServingProcesses;
  readonly work: TableWork;
  /** Gets what every serving process has applied, and the acknowledgements that the API has committed. */
  readonly observer: {
    readonly applied: (batch: FeedBatch) => void;
    readonly confirmed: (ack: EdgeSessionAck) => void;
    /** The origins that the API asks about: none when a session has ended. */
    readonly asked: (origins: readonly string[]) => void;
  };
  readonly now: () => number;
  readonly log: Logger;
}

/**
 * Copy of the routes on this edge, and its guarantee: a removal that this edge acknowledged, or that the API no longer
 * waits for it to acknowledge, is never served.
 *
 * - A batch is committed in the store first. Then every serving process drops what it holds of the changed hosts and
 *   destroys the connections of stopped ones. Only then it is acknowledged. A write that fails, as on a full disk, is
 *   repeated; until it succeeds, the version is not acknowledged.
 * - The edge serves under a lease that ends before the API stops waiting for it (`lease.ts`). It counts from
 *   acknowledgements that the API has committed. After a lapse it comes back only with a registration and everything
 *   that was published before it (`lease.ts`, `feed-connection.ts`).
 * - The time of the last contact is saved after the versions that it vouches for, in the same database.
 */
export class RouteReplica implements Pick<FeedProcess, 'tableDamaged'> {
  /** How far the last contact was ahead of a clock that was set back; 0 after another contact. */
  contactAheadMs = 0;
  readonly #settings: ReplicaSettings;
  readonly #store: RouteStore;
  readonly #processes: ServingProcesses;
  readonly #work: TableWork;
  readonly #observer: ReplicaParts['observer'];
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #lease: Lease;
  readonly #follower: FeedFollower;
  readonly #traces: ChangeTraces;
  readonly #starting = new AbortController();
  readonly #firstAttempt = Promise.withResolvers<void>();
  readonly #synced = Promise.withResolvers<void>();
  /** The position that every serving process has applied. */
  #applied = { epoch: '', version: 0 };
  #savedContactAtMs: number | undefined;
  #damage: string | undefined;
  #scanning = new AbortController();
  #timers: NodeJS.Timeout[] = [];
  #wasServing = false;

  constructor(settings: ReplicaSettings, { target, store, processes, work, observer, now, log }: ReplicaParts) {
    this.#settings = settings;
    this.#store = store;
    this.#processes = processes;
    this.#work = work;
    this.#observer = observer;
    this.#log = log;
    this.#now = now;
    this.#lease = new Lease(settings.maxStalenessSeconds, now);
    this.#traces = new ChangeTraces(settings.edgeId);
    this.#follower = new FeedFollower(target, this.#followedFeed(), now, log);
  }

  get mayServe(): boolean {
    return this.#lease.isValid();
  }

  /** The newest contact at which everything published was applied here; undefined before the first one. */
  get contactAtMs(): number | undefined {
    return this.#lease.contactAtMs;
  }

  /** Publishes the table and the lease of an earlier run. */
  async restore(): Promise<void> {
    await this.#publishTable();
    const { contactAtMs } = this.#store;
    if (contactAtMs === undefined) return;
    this.#lease.grant(contactAtMs);
    this.#savedContactAtMs = contactAtMs;
    this.#correctLease();
    this.#processes.leaseChanged(this.#lease.contactAtMs);
    this.#wasServing = this.#lease.isValid();
  }

  /** Connects. Resolves when there are routes that may be served, which may take as long as the API is not reachable. */
  async start(): Promise<void> {
    this.#follower.start();
    this.#timers = [
      setInterval(() => this.#beat(), ackIntervalMs(this.#lease.durationMs)),
      setInterval(() => this.#watchLease(), LAPSE_CHECK_MS),
      setInterval(() => void this.#scan(), SCAN_INTERVAL_MS),
    ];
    const limit = pause(FIRST_SYNC_LIMIT_MS, this.#starting.signal);
    await Promise.race([this.#firstAttempt.promise, this.#synced.promise, limit]);
    this.#starting.abort();
    if (!this.#lease.isValid()) await this.#synced.promise;
  }

  /** Begins to verify the checksums of the complete table. */
  verify(): void {
    void this.#scan();
  }

  /** Sends the API changed facts about this edge, such as its ports. */
  announce(): void {
    this.#follower.acknowledge();
  }

  /** Ends everything that could write the store or register this edge again. */
  async stop(): Promise<void> {
    this.#timers.forEach((timer) => clearInterval(timer));
    this.#starting.abort();
    this.#scanning.abort();
    await this.#follower.stop();
    this.#traces.giveUp('stopped');
  }

  tableDamaged(reason: string): void {
    if (this.#damage !== undefined) return;
    this.#log.error({ reason }, 'route table damaged; serving stopped until it is replaced');
    this.#damage = reason;
    this.#endLease();
    this.#follower.restart('the route table is damaged');
  }

  #followedFeed(): LoadableFeed {
    return {
      position: () => this.#store.position,
      describe: () => {
        const { edgeId, addresses, region } = this.#settings;
        return { edgeId, ...this.#applied, ...addresses(), ...(region !== undefined && { region }) };
      },
      apply: (batch, signal) => this.#apply(batch, signal),
      confirmed: (ack: EdgeSessionAck) => {
        this.#traces.acknowledged(ack);
        this.#observer.confirmed(ack);
      },
      asked: (origins) => this.#observer.asked(origins),
      synced: (contactAtMs) => this.#onSynced(contactAtMs),
      renewed: (contactAtMs) => {
        if (this.#lease.renew(contactAtMs)) this.#processes.leaseChanged(contactAtMs);
      },
      repair: () => this.#repair(),
      load: (reference, signal) => this.#load(reference, signal),
      lost: () => {
        this.#observer.asked([]);
        this.#firstAttempt.resolve();
      },
    };
  }

  async #apply(batch: FeedBatch, signal: AbortSignal): Promise<void> {
    const abandonTraces = this.#traces.beginChanges(batch);
    const before = this.#store.position;
    let change: TableChange;
    try {
      change = await this.#commit(batch, signal);
    } catch (error) {
      abandonTraces();
      throw error;
    }
    const { epoch, version, thumbprint, platformCertificate } = this.#store.position;
    const isRenewed = platformCertificate !== before.platformCertificate;
    if (change.hosts.length > 0 || thumbprint !== before.thumbprint || isRenewed)
      await this.#processes.changed({ ...change, thumbprint, platformCertificate });
    this.#applied = { epoch, version };
    this.#observer.applied(batch);
    const stopped = change.stoppedHosts.length;
    this.#log.info({ version, entries: batch.entries.length, stopped }, 'batch applied');
  }

  /** @throws FeedError for a gap, and the last error of the store when the signal fires */
  async #commit(batch: FeedBatch, signal: AbortSignal): Promise<TableChange> {
    const attempt = async () => {
      const outcome = this.#store.apply(batch);
      if (outcome.kind === 'gap') throw new FeedError(outcome.reason);
      return outcome.change;
    };
    const nextDelayMs = (failures: number, error: unknown) => {
      if (error instanceof StoreDamagedError) this.tableDamaged(error.message);
      if (error instanceof StoreDamagedError || error instanceof FeedError) return null;
      this.#log.error({ err: error, version: batch.version }, 'store write failed; version not acknowledged');
      return exponentialDelayMs(WRITE_RETRY_DELAY, failures);
    };
    return retry(attempt, { nextDelayMs, signal });
  }

  async #load(reference: EdgeSnapshotReference, signal: AbortSignal): Promise<void> {
    this.#scanning.abort();
    this.#traces.giveUp('replaced');
    const before = this.#store.position;
    await this.#store.replaceTable((table) => this.#work.load(reference, table, signal));
    const { position } = this.#store;
    // An older table may serve hosts whose removal was acknowledged since; the next session brings their removal again.
    if (position.epoch === before.epoch && position.version < before.version) this.#endLease();
    await this.#publishTable();
    await this.#store.deleteReplaced();
    const { epoch, version } = position;
    this.#log.info({ epoch, version, hosts: this.#store.hosts }, 'snapshot loaded');
  }

  async #repair(): Promise<void> {
    if (this.#damage === undefined) return;
    await this.#store.discard(this.#damage);
    await this.#publishTable();
    await this.#store.deleteReplaced();
    this.#damage = undefined;
  }

  async #publishTable(): Promise<void> {
    const { epoch, version, thumbprint, platformCertificate } = this.#store.position;
    this.#savedContactAtMs = undefined;
    await this.#processes.tableReplaced({ file: this.#store.file, thumbprint, platformCertificate });
    this.#applied = { epoch, version };
  }

  /** The corrected time is saved at once: another restart must not begin the same minutes again. */
  #correctLease(): boolean {
    const aheadMs = contactAheadMs(this.#lease.contactAtMs, this.#now());
    if (!this.#lease.correct()) return false;
    this.contactAheadMs = aheadMs;
    this.#log.error({ aheadMs }, 'the last contact is in the future: the clock was set back');
    this.#saveContact();
    return true;
  }

  #onSynced(contactAtMs: number): void {
    this.contactAheadMs = 0;
    this.#lease.grant(contactAtMs);
    this.#processes.leaseChanged(contactAtMs);
    this.#saveContact();
    this.#wasServing = true;
    this.#synced.resolve();
  }

  #endLease(): void {
    this.#lease.end();
    this.#processes.leaseChanged(undefined);
    this.#wasServing = false;
  }

  #beat(): void {
    this.#follower.acknowledge();
    this.#saveContact();
  }

  /** A contact that is not saved costs a restarted edge only time. */
  #saveContact(): void {
    const { contactAtMs } = this.#lease;
    if (contactAtMs === undefined || contactAtMs === this.#savedContactAtMs || !this.#lease.isValid()) return;
    try {
      this.#store.saveContact(contactAtMs);
      this.#savedContactAtMs = contactAtMs;
    } catch (error) {
      this.#log.error({ err: error }, 'time of the last contact not written');
    }
  }

  async #scan(): Promise<void> {
    this.#scanning.abort();
    const scanning = (this.#scanning = new AbortController());
    try {
      await this.#work.scan(this.#store.file, scanning.signal);
    } catch (error) {
      if (scanning.signal.aborted) return;
      if (error instanceof StoreDamagedError) this.tableDamaged(error.message);
      else this.#log.error({ err: error }, 'route table not verified');
    }
  }

  #watchLease(): void {
    if (this.#correctLease()) this.#processes.leaseChanged(this.#lease.contactAtMs);
    const isServing = this.#lease.isValid();
    if (this.#wasServing && !isServing) {
      this.#log.error(
        { maxStalenessSeconds: this.#settings.maxStalenessSeconds },
        'no contact with the API for too long; serving stopped',
      );
      this.#processes.leaseChanged(undefined); // their clock may have been set back
      this.#follower.restart('the lease has expired');
    }
    this.#wasServing = isServing;
  }
}
