import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { forEachConcurrent } from '@pets/async';
import type { Database } from '@pets/persistence';
import type { FileStorage } from '@pets/platform';
import { sql } from 'kysely';
import { EdgeAcknowledgements } from '../../names/edge-ports.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { DATABASE, STORAGE } from '../../platform/providers.js';
import { chunkKey, manifestKey, SnapshotsRepository, type ExpiredSnapshot } from './snapshots.repository.js';
import { SnapshotsService } from './snapshots.service.js';

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

/** Each has up to some thousand files. */
const BATCH = 4;
const CONCURRENT_DELETIONS = 16;
const DELETION_LIMIT_MS = 60_000;

/** Deletes the files and then the rows of snapshots that nobody loads any more. Several replicas may do so together. */
@Injectable()
export class SnapshotCollection {
  constructor(
    private readonly snapshots: SnapshotsRepository,
    private readonly tasks: BackgroundTasks,
    @Inject(STORAGE) private readonly storage: FileStorage,
  ) {}

  collect(): Promise<number> {
    return this.tasks.sweep({
      batch: BATCH,
      failure: 'old snapshots of the routes not deleted',
      clear: async (limit) => {
        await this.snapshots.markExpired();
        const marked = await this.snapshots.listMarked(limit);
        for (const snapshot of marked) {
          await this.deleteFiles(snapshot);
          await this.snapshots.forget(snapshot.id);
        }
        return marked.length;
      },
    });
  }

  /** The manifest first, so that nobody begins to load what is being deleted. */
  private async deleteFiles(snapshot: ExpiredSnapshot): Promise<void> {
    const signal = AbortSignal.timeout(DELETION_LIMIT_MS);
    await this.storage.delete(manifestKey(snapshot), signal);
    const keys = Array.from({ length: snapshot.chunks }, (_, index) => chunkKey(snapshot, index));
    await forEachConcurrent(keys, CONCURRENT_DELETIONS, (key) => this.storage.delete(key, signal));
  }
}

const EVERY_MS = 60_000;

/** Rows that publications may have to wait for, for about 10 ms. */
const ROUTE_BATCH = 1_000;

/** Builds snapshots when they are due, deletes old ones, and then the ended routes that no edge needs any more. */
@Injectable()
export class SnapshotsSweeper implements OnModuleInit {
  constructor(
    private readonly service: SnapshotsService,
    private readonly collection: SnapshotCollection,
    private readonly endedRoutes: EndedRoutesRepository,
    private readonly acknowledgements: EdgeAcknowledgements,
    private readonly tasks: BackgroundTasks,
  ) {}

  onModuleInit(): void {
    const failure = 'snapshot of the routes not built';
    this.tasks.repeat({ everyMs: EVERY_MS, failure, run: () => this.sweep() });
  }

  /** Deletes what is old also where nothing can be built. */
  async sweep(): Promise<void> {
    try {
      await this.service.buildIfDue();
    } finally {
      await this.collection.collect();
      await this.compact();
    }
  }

  compact(): Promise<number> {
    return this.tasks.sweep({
      batch: ROUTE_BATCH,
      failure: 'ended routes not deleted',
      clear: async (limit) => {
        await this.endedRoutes.raiseHorizon(await this.acknowledgements.appliedEverywhere());
        return this.endedRoutes.deleteBelowHorizon(limit);
      },
    });
  }
}
