import { Inject, Injectable } from '@nestjs/common';
import { AutoResetEvent } from '@pets/async';
import { mapLanes } from '@pets/contracts';
import {
  isWorkHeld,
  laneOf,
  LaneQueues,
  workKinds,
  type ReadyQueue,
  type Share,
  type WorkKind,
  type WorkLane,
} from '@pets/domains';
import { commitWithoutWaiting, type Database } from '@pets/persistence';
import { EdgeFeed } from '../names/edge-ports.js';
import { KeyCheck } from '../platform/encryption-keys/key-check.js';
import { ApiMetrics } from '../platform/metrics/api-metrics.js';
import { DATABASE } from '../platform/providers.js';
import {
  claimStatement,
  discoverStatement,
  firstPosition,
  nextReadyStatement,
  type ClaimedRow,
  type ClaimedWork,
} from './claim.query.js';
import { WorkRepository } from './work.repository.js';

/** The queue of a row. A row that is not due, or has no organization yet, is in none. */
export type ChangedQueue = { readonly [Field in keyof ReadyQueue]: ReadyQueue[Field] | null };

/** The queues of all lanes, which every writer of the schedule announces to and the loops of the dispatcher claim from. */
@Injectable()
export class DueQueues {
  private readonly lanes = mapLanes(() => ({ queues: new LaneQueues(new Date()), announced: new AutoResetEvent() }));

  lane(name: WorkLane): LaneQueues {
    return this.lanes[name].queues;
  }

  /** Set when a row of the lane was announced that is ready. */
  announced(name: WorkLane): AutoResetEvent {
    return this.lanes[name].announced;
  }

  announce(queues: readonly ChangedQueue[]): void {
    const now = new Date();
    for (const queue of queues.filter(isReady)) {
      const lane = this.lanes[laneOf(queue)];
      if (lane.queues.announce(queue, now)) lane.announced.set();
    }
  }
}

function isReady(queue: ChangedQueue): queue is ReadyQueue {
  return queue.readyAt !== null && queue.organizationId !== null && queue.priority !== null;
}

/** Queues of one statement, which takes a few milliseconds. */
const DISCOVERED_AT_ONCE = 500;

/** Finds and leases due rows of the schedule. */
@Injectable()
export class DueWorkRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly queues: DueQueues,
  ) {}

  /**
   * Leases rows that are ready, each with a new attempt number. Dispatchers never get the same row (`skip locked`). When a
   * lease expires, the row can be leased again: lost jobs are dispatched again that way.
   */
  async claim(shares: readonly Share[]): Promise<Claimed> {
    return this.db.transaction().execute(async (tx) => {
      const { rows } = await claimStatement(shares).execute(tx);
      // A crash may undo the lease, and the work runs twice. That is harmless, except for two orders at a time.
      if (!rows.some(({ kind }) => kind === 'issuance')) await commitWithoutWaiting(tx);
      const taken = Map.groupBy(rows, ({ share }) => share);
      const drained = shares.flatMap(({ queue, limit }, share) =>
        (taken.get(share)?.length ?? 0) < limit ? [{ ...queue, share }] : [],
      );
      const next = drained.length === 0 ? [] : (await nextReadyStatement(drained).execute(tx)).rows;
      const readyAt = new Map(next.map((found) => [found.share, found.readyAt]));
      return {
        claims: rows,
        readyAt: shares.map(
          (_, share) => readyAt.get(share) ?? latestReady(taken.get(share) ?? [], readyAt.has(share)),
        ),
      };
    });
  }

  /** Announces every queue that has rows: those that another process has scheduled, and those whose lease has ended. */
  async discover(signal: AbortSignal): Promise<void> {
    for (const kind of Object.keys(workKinds) as WorkKind[]) {
      let position: typeof firstPosition | undefined = firstPosition;
      while (position !== undefined && !signal.aborted) {
        const { rows }: { rows: ReadyQueue[] } = await discoverStatement(kind, position, DISCOVERED_AT_ONCE).execute(
          this.db,
        );
        this.queues.announce(rows);
        position = rows.length < DISCOVERED_AT_ONCE ? undefined : rows.at(-1);
      }
    }
  }
}

/** The leased rows, and for each share when the next row of its queue is ready: null when there is none. */
interface Claimed {
  readonly claims: readonly ClaimedWork[];
  readonly readyAt: readonly (Date | null)[];
}

/** Rows that are not read yet are ready after the last one that was. */
function latestReady(rows: readonly ClaimedRow[], isDrained: boolean): Date | null {
  return isDrained ? null : new Date(Math.max(...rows.map(({ readyAt }) => readyAt.getTime())));
}

/** Work that could not be dispatched is due again after this. */
const RELEASE_SECONDS = 2;

/** Issuance without an ACME account is deferred until there is one, or for this long. */
const DEFER_SECONDS = 300;

/** Work of suspended domains is due again after this, though a resumption makes it due at once. */
const HOLD_SECONDS = 6 * 60 * 60;

/** Decides which due work is dispatched now, and holds, defers or releases the rest. */
@Injectable()
export class DueWork {
  /** Whether issuance was deferred because there was no account. An earlier process may have deferred some as well. */
  private hasDeferred = true;

  constructor(
    private readonly work: WorkRepository,
    private readonly ready: DueWorkRepository,
    private readonly queues: DueQueues,
    private readonly feed: EdgeFeed,
    private readonly keys: KeyCheck,
    private readonly metrics: ApiMetrics,
  ) {}

  /** A replica with wrong keys leaves the rows to others, which could not open the keys that it seals. */
  get isReady(): boolean {
    return this.keys.isUsable;
  }

  /** Makes deferred issuance due once there is an ACME account. */
  async resumeDeferred(): Promise<void> {
    if (!this.hasDeferred || (await this.feed.head()).thumbprint === null) return;
    this.hasDeferred = false;
    await this.work.resumeDeferred();
  }

  hasReady(lane: WorkLane): boolean {
    return this.queues.lane(lane).hasReady(new Date());
  }

  /** Claims rows of a lane, of each organization in turn. Fewer than `limit` when no more are ready. */
  async claim(lane: WorkLane, limit: number): Promise<readonly ClaimedWork[]> {
    const queues = this.queues.lane(lane);
    const claims: ClaimedWork[] = [];
    while (claims.length < limit) {
      const shares = queues.next(limit - claims.length, new Date());
      if (shares.length === 0) break;
      const claimed = await this.ready.claim(shares);
      for (const [index, { queue }] of shares.entries()) queues.claimed(queue, claimed.readyAt[index] ?? null);
      if (claimed.claims.length === 0) break;
      claims.push(...claimed.claims);
    }
    return claims;
  }

  /** Finds what no other part of this process has announced. */
  discover(signal: AbortSignal): Promise<void> {
    return this.ready.discover(signal);
  }

  /** Holds work that a suspension forbids, but reads open orders. @returns the other work */
  async holdSuspended(claimed: readonly ClaimedWork[]): Promise<readonly ClaimedWork[]> {
    const now = new Date();
    const held = new Set(claimed.filter((claim) => !claim.hasOpenOrder && isWorkHeld(claim, now)));
    await this.work.hold([...held], HOLD_SECONDS);
    const claims = claimed.filter((claim) => !held.has(claim));
    for (const { kind, lateSeconds } of claims) this.metrics.dispatched(kind, lateSeconds);
    return claims;
  }

  /** Defers work that cannot be done yet: issuance without an account, and probes without a certificate. */
  async defer(claims: readonly ClaimedWork[]): Promise<void> {
    const issuances = claims.filter(({ kind }) => kind === 'issuance');
    await this.work.defer(issuances, DEFER_SECONDS);
    if (issuances.length > 0) this.hasDeferred = true;
    await this.release(
      claims.filter(({ kind }) => kind !== 'issuance'),
      RELEASE_SECONDS,
    );
  }

  release(claims: readonly ClaimedWork[], afterSeconds: number): Promise<void> {
    return this.work.release(claims, afterSeconds);
  }
}
