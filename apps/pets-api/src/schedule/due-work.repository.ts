import { Inject, Injectable } from '@nestjs/common';
import { AutoResetEvent } from '@pets/async';
import { mapLanes } from '@pets/contracts';
import {
  laneOf,
  LaneQueues,
  workKinds,
  type ReadyQueue,
  type Share,
  type WorkKind,
  type WorkLane,
} from '@pets/domains';
import { commitWithoutWaiting, type Database } from '@pets/persistence';
import { DATABASE } from '../platform/providers.js';
import {
  claimStatement,
  discoverStatement,
  firstPosition,
  nextReadyStatement,
  type ClaimedRow,
  type ClaimedWork,
} from './claim.query.js';

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
export interface Claimed {
  readonly claims: readonly ClaimedWork[];
  readonly readyAt: readonly (Date | null)[];
}

/** Rows that are not read yet are ready after the last one that was. */
function latestReady(rows: readonly ClaimedRow[], isDrained: boolean): Date | null {
  return isDrained ? null : new Date(Math.max(...rows.map(({ readyAt }) => readyAt.getTime())));
}
