import { Inject, Injectable } from '@nestjs/common';
import { workKinds, type WorkKind } from '@pets/domains';
import { commitWithoutWaiting, type Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import {
  claimStatement,
  claimUnfilledStatement,
  discoverStatement,
  firstPosition,
  nextReadyStatement,
  readyQueue,
  type ClaimedRow,
  type ClaimedWork,
} from './claim.query.js';
import { DueQueues, type ChangedQueue } from './due-queues.js';
import type { ReadyQueue, Share } from './lane-queues.js';
import { priorities } from './lanes.js';

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

  /** The same for rows of an earlier version, which have no organization yet. */
  async claimUnfilled(kinds: readonly WorkKind[], limit: number): Promise<readonly ClaimedWork[]> {
    return (await claimUnfilledStatement(kinds, limit).execute(this.db)).rows;
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

  /** Writes organization and priority of rows of an earlier version. @returns how many, at most `limit` */
  async fill(limit: number): Promise<number> {
    const { rows } = await sql<ChangedQueue>`
      with unfilled as (
        select domain_id, kind from domain_work where organization_id is null
        order by domain_id limit ${limit} for update skip locked
      )
      update domain_work w set organization_id = d.organization_id, priority = case
        when w.kind not in ('issuance', 'probe') then ${priorities.routine}::smallint
        when d.state <> 'live' then ${priorities.issuance}::smallint
        when d.certificate_alert is not null then ${priorities.expiring}::smallint
        else ${priorities.routine}::smallint end
      from unfilled u join domains d on d.id = u.domain_id
      where w.domain_id = u.domain_id and w.kind = u.kind
      returning ${readyQueue}`.execute(this.db);
    this.queues.announce(rows);
    return rows.length;
  }

  async hasUnfilled(): Promise<boolean> {
    const { rows } = await sql`select from domain_work where organization_id is null limit 1`.execute(this.db);
    return rows.length > 0;
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
