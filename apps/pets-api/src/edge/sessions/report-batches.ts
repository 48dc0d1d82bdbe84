import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { EdgeSessionAck } from '@pets/contracts';
import { notification, notify, recordset, type Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { sql } from 'kysely';
import { DATABASE, LOG } from '../../platform/providers.js';
import { AwaitedVersions } from '../edge-acks.js';
import { ClusterIdentity } from './feed-pages.repository.js';

/** An acknowledgement with the session that it came in. */
interface EdgeReport extends Omit<EdgeSessionAck, 'region'> {
  readonly sessionId: string;
  readonly region: string | null;
  /** Whether it registers the edge, and replaces an earlier session of it. */
  readonly isRegistration: boolean;
}

/** Stores what edges report. */
@Injectable()
export class EdgeReportsRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly cluster: ClusterIdentity,
  ) {}

  /**
   * Stores reports of different edges in one statement. A report that is no registration changes only the row of its own
   * session: one that is late must not overwrite the report of a later session, nor bring back an edge that deregistered. A
   * version of another epoch or another database cluster counts as 0: the edge may have received it from elsewhere.
   * @param isAwaited whether somebody waits for one of the versions
   * @returns the edges whose report was stored
   */
  async save(reports: readonly EdgeReport[], isAwaited: boolean): Promise<ReadonlySet<string>> {
    const cluster = await this.cluster.expression();
    const sorted = reports.toSorted((a, b) => (a.edgeId < b.edgeId ? -1 : 1)); // so that two replicas do not deadlock
    const { rows } = await sql<{ id: string | null }>`
      with given as (
        select g.*, f.epoch as current_epoch,
          case when f.epoch::text = g.epoch and coalesce(f.cluster = ${cluster}, true) then g.version else 0 end as acked
        from ${recordset('g', reportColumns, sorted)}, edge_feed f
      ), registered as (
        insert into edges (id, epoch, acked_version, http_address, https_address, last_contact_at, session_id, region)
        select g."edgeId", g.current_epoch, g.acked, g."httpAddress", g."httpsAddress", now(), g."sessionId", g.region
        from given g where g."isRegistration"
        on conflict (id) do update
        set epoch = excluded.epoch, acked_version = excluded.acked_version, http_address = excluded.http_address,
          https_address = excluded.https_address, last_contact_at = excluded.last_contact_at,
          session_id = excluded.session_id, region = excluded.region
        returning id
      ), renewed as (
        update edges e
        set epoch = g.current_epoch, acked_version = g.acked, http_address = g."httpAddress",
          https_address = g."httpsAddress", last_contact_at = now(), region = g.region
        from given g
        where not g."isRegistration" and e.id = g."edgeId" and e.session_id = g."sessionId"
        returning e.id
      ), notified as (
        select ${notification('edge_acks')} where ${isAwaited}
      )
      select id from registered union all select id from renewed
      union all select null from notified`.execute(this.db);
    return new Set(rows.flatMap(({ id }) => id ?? []));
  }

  /** Wakes those who wait for acknowledgements. */
  async notifyWaiting(): Promise<void> {
    await notify(this.db, 'edge_acks');
  }
}

const reportColumns = {
  edgeId: 'text',
  epoch: 'text',
  version: 'bigint',
  httpAddress: 'text',
  httpsAddress: 'text',
  sessionId: 'uuid',
  region: 'text',
  isRegistration: 'boolean',
} as const;

/** How long a report waits for others, when nobody waits for it. */
const BATCH_MS = 100;

/** The shortest time between two statements: when one change is acknowledged by hundreds of edges, a few carry all. */
const SPACING_MS = 25;

/** `stored`: committed. `replaced`: the edge has a later session, or was deregistered. */
export type ReportOutcome = 'stored' | 'replaced' | 'failed';

interface WaitingReport {
  readonly report: EdgeReport;
  /** The newest version of the edge that is stored. */
  readonly storedVersion: number;
  readonly settle: (outcome: ReportOutcome) => void;
}

/**
 * Stores the reports of all edges of this replica, many in one statement: at once when somebody waits for a version, or
 * else within 100 ms. Never more than one statement is in flight. It retries nothing: the newest report of an edge counts,
 * and its session sends that again.
 */
@Injectable()
export class ReportBatches implements OnModuleInit, OnApplicationShutdown {
  /** The newest report of each edge. */
  #waiting = new Map<string, WaitingReport>();
  #timer: NodeJS.Timeout | undefined;
  #dueAtMs = Infinity;
  #lastStartMs = -Infinity;
  #inFlight: Promise<void> | undefined;

  constructor(
    private readonly reports: EdgeReportsRepository,
    private readonly awaited: AwaitedVersions,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  onModuleInit(): void {
    this.awaited.onAnnounced(() => {
      if ([...this.#waiting.values()].some((waiting) => this.#isAwaited(waiting))) this.#schedule(0);
    });
  }

  /** Stores what waits. */
  async onApplicationShutdown(): Promise<void> {
    await this.#inFlight;
    clearTimeout(this.#timer);
    await this.#store();
  }

  /**
   * @param storedVersion the newest version of the edge that is stored; -1 when there is none
   * @returns its outcome; a newer report of the same edge takes its place, and both have the outcome of the newer one
   */
  store(report: EdgeReport, storedVersion: number): Promise<ReportOutcome> {
    return new Promise((resolve) => {
      const earlier = this.#waiting.get(report.edgeId);
      const settle = (outcome: ReportOutcome): void => {
        earlier?.settle(outcome);
        resolve(outcome);
      };
      // A registration that is not stored yet must not get lost.
      const isRegistration = report.isRegistration || earlier?.report.isRegistration === true;
      const waiting = { report: { ...report, isRegistration }, storedVersion, settle };
      this.#waiting.set(report.edgeId, waiting);
      this.#schedule(this.#isAwaited(waiting) || report.isRegistration ? 0 : BATCH_MS);
    });
  }

  /** Drops a report that waits: its session has ended, and a later one may register the edge elsewhere. */
  drop(edgeId: string, sessionId: string): void {
    const waiting = this.#waiting.get(edgeId);
    if (waiting?.report.sessionId !== sessionId) return;
    this.#waiting.delete(edgeId);
    waiting.settle('failed');
  }

  #isAwaited({ report, storedVersion }: WaitingReport): boolean {
    return this.awaited.isAwaited(storedVersion, report.version);
  }

  #schedule(delayMs: number): void {
    const now = performance.now();
    const dueAtMs = Math.max(now + delayMs, this.#lastStartMs + SPACING_MS);
    if (dueAtMs >= this.#dueAtMs) return;
    this.#dueAtMs = dueAtMs;
    if (this.#inFlight === undefined) this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#run(), Math.max(this.#dueAtMs - performance.now(), 0));
  }

  async #run(): Promise<void> {
    this.#inFlight = this.#store();
    await this.#inFlight;
    this.#inFlight = undefined;
    if (this.#waiting.size > 0 && this.#dueAtMs < Infinity) this.#arm();
  }

  async #store(): Promise<void> {
    const batch = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#dueAtMs = Infinity;
    this.#lastStartMs = performance.now();
    if (batch.length === 0) return;
    const isAwaited = batch.some((waiting) => this.#isAwaited(waiting));
    try {
      const stored = await this.reports.save(
        batch.map(({ report }) => report),
        isAwaited,
      );
      // The wait may have begun after the statement: its first look may have been too early.
      if (!isAwaited && batch.some((waiting) => this.#isAwaited(waiting))) await this.reports.notifyWaiting();
      for (const { report, settle } of batch) settle(stored.has(report.edgeId) ? 'stored' : 'replaced');
    } catch (error) {
      this.log.warn({ err: error, reports: batch.length }, 'acknowledgements of edges not stored; trying again');
      for (const { settle } of batch) settle('failed');
    }
  }
}
