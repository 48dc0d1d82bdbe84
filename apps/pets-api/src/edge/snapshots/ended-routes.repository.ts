import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

/** Rows of hosts that are no longer served. They are kept for readers that have not received the end of the route. */
@Injectable()
export class EndedRoutesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /**
   * Raises the horizon (`edge_feed.compacted_version`) to the newest ended route that every loadable snapshot lacks and every
   * edge that may still serve has applied. It is committed before a row is deleted: a reader that reads changes and then, or in
   * the same statement, a horizon that is not above its position has missed nothing.
   * @param applied the version that every edge that may still serve has applied
   */
  async raiseHorizon(applied: bigint): Promise<void> {
    await sql`
      update edge_feed f set compacted_version = r.version
      from (
        select (
          select max(version) from edge_routes
          where route is null and version <= least(${applied}::bigint, s.oldest)
        ) as version
        from (
          select min(s.version) as oldest from edge_snapshots s join edge_feed f on f.epoch = s.epoch
          where s.finished_at is not null and s.deleting_at is null
        ) s
        where s.oldest is not null
      ) r
      where r.version > f.compacted_version`.execute(this.db);
  }

  /** Deletes ended routes below the horizon. @returns how many, at most `limit` */
  async deleteBelowHorizon(limit: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      delete from edge_routes where host = any(array(
        select host from edge_routes
        where route is null and version <= (select compacted_version from edge_feed)
        order by version limit ${limit} for update skip locked
      ))`.execute(this.db);
    return Number(numAffectedRows);
  }
}
