import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE, SESSION_DATABASE } from '../../platform/providers.js';
import type { FeedHead } from '../edge-feed.repository.js';

/** Snapshot whose files are in the storage. */
export interface SnapshotFiles {
  /** Id of the build: two builds never share a file. */
  readonly id: string;
  readonly epoch: string;
  readonly version: number;
}

export function manifestKey(snapshot: SnapshotFiles): string {
  return `${folderOf(snapshot)}/manifest.json`;
}

/** @param index from 0 */
export function chunkKey(snapshot: SnapshotFiles, index: number): string {
  return `${folderOf(snapshot)}/${index}.zst`;
}

function folderOf({ epoch, version, id }: SnapshotFiles): string {
  return `snapshots/${epoch}/${version}/${id}`;
}

/** An arbitrary advisory lock: one process at a time builds a snapshot. */
const BUILD_LOCK = 7_310_422;

/** An edge that received a snapshot just before the next one was complete may load it for this long. */
const LOADING_MINUTES = 15;

/** A build takes minutes: what is incomplete after this time was left by a process that died. */
const INCOMPLETE_HOURS = 24;

export interface Snapshot extends SnapshotFiles {
  readonly ageSeconds: number;
  readonly manifestSha256: string;
  readonly manifestBytes: number;
}

/** The next hosts in ascending order, one line each: `<host> <version> <route as JSON>\n`. */
export interface RoutePage {
  readonly text: string;
  readonly hosts: number;
  readonly lastHost: string;
}

/** Size and checksum of a complete snapshot. */
export interface FinishedSnapshot {
  readonly hosts: number;
  readonly bytes: number;
  readonly manifestSha256: string;
  readonly manifestBytes: number;
}

/** A snapshot whose files are to be deleted. */
export interface ExpiredSnapshot extends SnapshotFiles {
  readonly chunks: number;
}

/**
 * The rows of snapshots. A row exists before the first file, so the storage is never listed. Methods with `db` as a
 * parameter belong to a build, which uses one connection.
 */
@Injectable()
export class SnapshotsRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(SESSION_DATABASE) private readonly sessions: Database,
  ) {}

  /**
   * Runs a build if no other process builds. The lock belongs to the connection that the build reads with: a build that
   * loses it cannot continue.
   * @returns whether it ran
   */
  withBuildLock(build: (db: Database) => Promise<void>): Promise<boolean> {
    return this.sessions.connection().execute(async (db) => {
      const { rows } = await sql<{ isMine: boolean }>`select pg_try_advisory_lock(${BUILD_LOCK}) as "isMine"`.execute(
        db,
      );
      if (rows[0]?.isMine !== true) return false;
      try {
        await build(db);
      } finally {
        await sql`select pg_advisory_unlock(${BUILD_LOCK})`.execute(db);
      }
      return true;
    });
  }

  /** The newest complete snapshot of the current epoch; undefined when there is none. */
  async newest(db: Database = this.db): Promise<Snapshot | undefined> {
    const { rows } = await sql<Omit<Snapshot, 'version'> & { readonly version: bigint }>`
      select s.id, s.epoch, s.version, s.manifest_sha256 as "manifestSha256", s.manifest_bytes as "manifestBytes",
        extract(epoch from now() - s.finished_at)::float8 as "ageSeconds"
      from edge_snapshots s join edge_feed f on f.epoch = s.epoch
      where s.finished_at is not null and s.deleting_at is null
      order by s.version desc, s.finished_at desc limit 1`.execute(db);
    const [row] = rows;
    return row === undefined ? undefined : { ...row, version: Number(row.version) };
  }

  async beginSnapshot(db: Database, { epoch, version }: Pick<FeedHead, 'epoch' | 'version'>): Promise<SnapshotFiles> {
    const id = randomUUID();
    await db
      .insertInto('edge_snapshots')
      .values({ id, epoch, version: BigInt(version) })
      .execute();
    return { id, epoch, version };
  }

  /** The first served hosts after a host, at most `limit`; undefined when there are none. */
  async page(db: Database, after: string, limit: number): Promise<RoutePage | undefined> {
    const { rows } = await sql<{ [Column in keyof RoutePage]: RoutePage[Column] | null }>`
      select string_agg(p.line, '' order by p.host) as text, count(*)::integer as hosts, max(p.host) as "lastHost"
      from (
        select host collate "C" as host, format(E'%s %s %s\\n', host, version, route) as line
        from edge_routes
        where host collate "C" > ${after} and route is not null
        order by host collate "C" limit ${limit}
      ) p`.execute(db);
    const { text = null, hosts = null, lastHost = null } = rows[0] ?? {};
    return text === null || hosts === null || lastHost === null ? undefined : { text, hosts, lastHost };
  }

  /** Counts a chunk that is about to be written. @throws Error when the snapshot is being deleted */
  async countChunk(db: Database, id: string, chunks: number): Promise<void> {
    const { numUpdatedRows } = await db
      .updateTable('edge_snapshots')
      .set({ chunks })
      .where('id', '=', id)
      .where('deleting_at', 'is', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Error('the snapshot was deleted during its build');
  }

  /** Makes a complete snapshot the newest. @throws Error when it is being deleted, or another epoch has begun */
  async finish(db: Database, id: string, finished: FinishedSnapshot): Promise<void> {
    const { numAffectedRows } = await sql`
      update edge_snapshots s
      set finished_at = now(), hosts = ${finished.hosts}, bytes = ${finished.bytes},
        manifest_sha256 = ${finished.manifestSha256}, manifest_bytes = ${finished.manifestBytes}
      from edge_feed f
      where s.id = ${id} and s.deleting_at is null and s.epoch = f.epoch and s.version >= f.compacted_version`.execute(
      db,
    );
    if (numAffectedRows !== 1n) throw new Error('the snapshot was outdated before it was complete');
  }

  /**
   * Marks the snapshots that nobody loads any more. The newest two of the epoch stay, and those that were the newest in the
   * last minutes.
   */
  async markExpired(): Promise<void> {
    await sql`
      update edge_snapshots set deleting_at = now() where deleting_at is null and id in (
        select id from (
          select s.id, s.finished_at, s.started_at, s.epoch = f.epoch as is_current,
            rank() over newest_first as place, lag(s.finished_at) over newest_first as superseded_at
          from edge_snapshots s cross join edge_feed f
          window newest_first as (partition by s.epoch, s.finished_at is null order by s.version desc, s.finished_at desc)
        ) s
        where case
          when finished_at is null then started_at < now() - make_interval(hours => ${INCOMPLETE_HOURS})
          when is_current then place > 2 and superseded_at < now() - make_interval(mins => ${LOADING_MINUTES})
          else finished_at < now() - make_interval(mins => ${LOADING_MINUTES})
        end
      )`.execute(this.db);
  }

  /** Marks one snapshot that cannot be loaded. */
  async markLost(id: string): Promise<void> {
    await sql`update edge_snapshots set deleting_at = now() where id = ${id}`.execute(this.db);
  }

  async listMarked(limit: number): Promise<ExpiredSnapshot[]> {
    const rows = await this.db
      .selectFrom('edge_snapshots')
      .select(['id', 'epoch', 'version', 'chunks'])
      .where('deleting_at', 'is not', null)
      .limit(limit)
      .execute();
    return rows.map((row) => ({ ...row, version: Number(row.version) }));
  }

  /** Deletes the row of a snapshot without files. */
  async forget(id: string): Promise<void> {
    await this.db.deleteFrom('edge_snapshots').where('id', '=', id).where('deleting_at', 'is not', null).execute();
  }
}
