import type { EdgeAck, EdgeRoute } from '@pets/contracts';
import type { Logger } from '@pets/platform';
import { Acknowledger } from './acknowledger.js';
import type { ApiClient } from './api-client.js';
import { ChangeTraces } from './change-traces.js';
import { FeedFollower } from './feed-follower.js';
import { Lease } from './lease.js';
import { RouteTable, type BatchOutcome, type FeedBatch } from './route-table.js';
import { Settler } from './settler.js';
import type { SnapshotStore } from './snapshot-store.js';
import { ackIntervalMs } from './staleness.js';

/** How soon after its lease has lapsed an edge cuts what is still being answered; new requests are refused at once. */
const LAPSE_CHECK_MS = 500;

/** The certificates that the table names. */
export interface CertificateStock {
  /** Settles when each has been fetched or could not be. */
  prefetch(ids: readonly string[]): Promise<unknown>;
  /** Tries again what could not be fetched. */
  retryMissing(): Promise<unknown>;
  drop(ids: readonly string[]): void;
  /** Deletes what is on disk and no route names. */
  sweep(): Promise<void>;
}

export interface OpenConnections {
  destroyHosts(hosts: readonly string[]): void;
  destroyAll(): void;
}

export interface ReplicaSettings {
  readonly edgeId: string;
  readonly maxStalenessSeconds: number;
  readonly addresses: () => { readonly httpAddress: string; readonly httpsAddress: string };
}

/**
 * This edge's copy of the routes, and the promise that comes with it: a removal that this edge acknowledged, or that
 * the API no longer waits for it to acknowledge, is never served.
 *
 * - A batch is applied first, in one turn of the event loop; from then on every request and handshake sees it.
 * - In the same turn what was opened for stopped hosts is destroyed. Then it is persisted, and only then acknowledged.
 * - It serves under a lease that ends before the API stops waiting for it (`staleness.ts`), and that after a lapse
 *   comes back only with a registration followed by a whole batch (`lease.ts`, `feed-follower.ts`).
 */
export class RouteReplica {
  readonly #table: RouteTable;
  readonly #lease: Lease;
  readonly #acknowledger: Acknowledger;
  readonly #settler: Settler;
  readonly #follower: FeedFollower;
  readonly #traces: ChangeTraces;
  readonly #firstAttempt = Promise.withResolvers<void>();
  readonly #synced = Promise.withResolvers<void>();
  #timers: NodeJS.Timeout[] = [];
  #wasServing = false;

  constructor(
    private readonly settings: ReplicaSettings,
    table: RouteTable,
    api: ApiClient,
    private readonly store: SnapshotStore,
    private readonly stock: CertificateStock,
    private readonly connections: OpenConnections,
    now: () => number,
    private readonly log: Logger,
  ) {
    this.#table = table;
    this.#lease = new Lease(settings.maxStalenessSeconds, now);
    const describeEdge = () => ({ edgeId: settings.edgeId, ...this.#settler.settled, ...settings.addresses() });
    this.#traces = new ChangeTraces(settings.edgeId);
    const onTaken = (sentAtMs: number, ack: EdgeAck) => {
      this.#traces.acknowledged(ack);
      if (this.#follower.isSynced) this.#lease.renew(sentAtMs);
    };
    this.#acknowledger = new Acknowledger(api, describeEdge, onTaken, now, log);
    this.#settler = new Settler(this.#table, this.#lease, store, () => this.#acknowledger.acknowledge(), log);
    this.#follower = new FeedFollower(api, this.#followedFeed(), now, log);
  }

  /** The live route of a host; none at all once the lease has lapsed. */
  find(host: string): EdgeRoute | undefined {
    return this.#lease.isValid() ? this.#table.find(host) : undefined;
  }

  get thumbprint(): string | null {
    return this.#table.state.thumbprint;
  }

  get mayServe(): boolean {
    return this.#lease.isValid();
  }

  /** When all that was published up to then was known here for the last time; undefined before the first contact. */
  get contactAtMs(): number | undefined {
    return this.#lease.contactAtMs;
  }

  /** Takes over what an earlier run knew. A damaged snapshot is a reason to tell, not to fail: the feed has it all. */
  async restore(): Promise<void> {
    const stored = await this.store.load();
    switch (stored.kind) {
      case 'none':
        return;
      case 'damaged':
        this.log.error({ reason: stored.reason }, 'snapshot damaged; starting without it');
        return;
      case 'loaded':
        this.#table.restore(stored.state);
        this.#settler.restored();
        this.#lease.grant(stored.contactAtMs);
        this.#wasServing = this.#lease.isValid();
        this.log.info(
          { version: stored.state.version, hosts: stored.state.routes.size, valid: this.#wasServing },
          'snapshot loaded',
        );
    }
  }

  /** Connects, and resolves when there is something that may be served. That may take as long as the API is away. */
  async start(): Promise<void> {
    this.#follower.start();
    const interval = ackIntervalMs(this.#lease.durationMs);
    this.#timers = [setInterval(() => this.#beat(), interval), setInterval(() => this.#watchLease(), LAPSE_CHECK_MS)];
    await Promise.race([this.#firstAttempt.promise, this.#synced.promise]);
    if (!this.#lease.isValid()) await this.#synced.promise;
  }

  /** Tells the API at once what has changed about this edge, such as its ports. */
  async announce(): Promise<void> {
    await this.#acknowledger.acknowledge();
  }

  /** Ends everything that could write the snapshot or register this edge again. */
  async stop(): Promise<void> {
    this.#timers.forEach((timer) => clearInterval(timer));
    await Promise.all([this.#follower.stop(), this.#settler.stop()]);
    await this.#acknowledger.settled();
    this.#traces.giveUp('stopped');
  }

  #followedFeed() {
    return {
      edgeId: this.settings.edgeId,
      position: () => {
        const { epoch, version, protocol } = this.#table.state;
        return { epoch, version, protocol };
      },
      register: () => this.#acknowledger.acknowledge(),
      apply: (batch: FeedBatch) => this.#apply(batch),
      onSynced: (registeredAtMs: number) => this.#onSynced(registeredAtMs),
      onLost: () => this.#firstAttempt.resolve(),
    };
  }

  #apply(batch: FeedBatch): BatchOutcome {
    if (batch.reset) this.#traces.giveUp('reset');
    const outcome = this.#table.apply(batch);
    if (outcome.kind === 'gap') return outcome;
    const asPartOfChange = this.#traces.begin(batch);
    this.connections.destroyHosts(outcome.stoppedHosts);
    this.stock.drop(outcome.droppedCertificates);
    this.#settler.applied({
      isUrgent: outcome.stoppedHosts.length > 0,
      certificatesFetched: asPartOfChange(() => this.stock.prefetch(outcome.newCertificates)),
    });
    this.log.info(
      {
        version: batch.version,
        reset: batch.reset,
        entries: batch.entries.length,
        stopped: outcome.stoppedHosts.length,
      },
      'batch applied',
    );
    return outcome;
  }

  #onSynced(registeredAtMs: number): void {
    this.#lease.grant(registeredAtMs);
    this.#saveContact();
    this.#wasServing = true;
    this.#synced.resolve();
    this.stock.sweep().catch((error: unknown) => this.log.warn({ err: error }, 'unused certificates not deleted'));
    void this.stock.prefetch(this.#table.certificateIds());
  }

  #beat(): void {
    void this.#acknowledger.acknowledge();
    this.#settler.retry();
    void this.stock.retryMissing();
    this.#saveContact();
  }

  #saveContact(): void {
    const contactAtMs = this.#lease.contactAtMs;
    if (contactAtMs === undefined || !this.#lease.isValid()) return;
    this.store
      .saveContact(this.#table.state.epoch, contactAtMs)
      .catch((error: unknown) => this.log.error({ err: error }, 'time of the last contact not written'));
  }

  #watchLease(): void {
    const isServing = this.#lease.isValid();
    if (this.#wasServing && !isServing) {
      this.log.error(
        { maxStalenessSeconds: this.settings.maxStalenessSeconds },
        'no contact with the API for too long; serving stopped',
      );
      this.connections.destroyAll();
      this.#follower.restart();
    }
    this.#wasServing = isServing;
  }
}
