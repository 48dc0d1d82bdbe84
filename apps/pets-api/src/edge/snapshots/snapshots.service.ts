import { addAbortSignal } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { pause } from '@pets/async';
import { edgeSnapshotManifestSchema, type EdgeSnapshotReference } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { readWhole, type FileStorage, type Logger } from '@pets/platform';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { LOG, STORAGE } from '../../platform/providers.js';
import { sha256 } from '../../platform/hashes.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { EdgeFeedRepository, type FeedHead } from '../edge-feed.repository.js';
import type { EdgeSnapshots } from '../feed-protocol.js';
import { buildSnapshot } from './build-snapshot.js';
import { manifestKey, SnapshotsRepository, type Snapshot } from './snapshots.repository.js';

/** An edge that begins with an older snapshot would read so many changes after it: about a second. */
const MAX_VERSIONS_BEHIND = 10_000;
/** Ten times what a build of ten million hosts takes, so that a busy feed costs a tenth of a connection. */
const MIN_AGE_SECONDS = 20 * 60;
/** A table that changes at all gets a new one, so that its ended routes can be deleted. */
const MAX_AGE_SECONDS = 60 * 60;

/** Ends a build that makes no progress. */
const BUILD_LIMIT_MS = 30 * 60 * 1_000;

/** Edges wait so long for the first snapshot that another replica builds, and then connect again. */
const WAIT_LIMIT_MS = 2 * 60 * 1_000;
const WAIT_POLL_MS = 250;
/** After a failure edges are refused for this time, instead of starting a build each. */
const RETRY_MS = 5_000;

/** While edges ask, the files of the newest snapshot are read again after this time, or five times as long as it took. */
const CHECK_PAUSE_MS = 10_000;
const CHECK_PAUSE_RATIO = 5;

/** Builds the snapshots of the route table and knows the newest one. */
@Injectable()
export class SnapshotsService implements EdgeSnapshots {
  private first: Promise<EdgeSnapshotReference> | undefined;
  /** The snapshot whose manifest was found last. */
  private seenId: string | undefined;
  /** When the files of the newest snapshot may be read again. */
  private nextCheckAtMs = 0;
  private refusal: { readonly error: unknown; readonly untilMs: number } | undefined;

  constructor(
    private readonly snapshots: SnapshotsRepository,
    private readonly feed: EdgeFeedRepository,
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly shuttingDown: ShuttingDown,
    private readonly metrics: ApiMetrics,
    @Inject(LOG) private readonly log: Pick<Logger, 'info' | 'warn'>,
  ) {}

  async current(): Promise<EdgeSnapshotReference> {
    const newest = await this.findNewest();
    if (newest !== undefined) {
      void this.checkFiles(newest);
      return referenceTo(newest);
    }
    return (this.first ??= this.waitForFirst().finally(() => (this.first = undefined)));
  }

  /** Builds a snapshot if one is due and no other process builds. @throws Error when the build fails */
  async buildIfDue(): Promise<void> {
    await this.snapshots.withBuildLock(async (db) => {
      const head = await this.feed.head(db);
      const newest = await this.snapshots.newest(db);
      if (newest === undefined || isDue(newest, head.version)) await this.build(db, head);
    });
  }

  /** Builds the first snapshot of an epoch, or waits for the replica that builds it. */
  private async waitForFirst(): Promise<EdgeSnapshotReference> {
    const { refusal } = this;
    if (refusal !== undefined && Date.now() < refusal.untilMs) throw refusal.error;
    const untilMs = Date.now() + WAIT_LIMIT_MS;
    const { signal } = this.shuttingDown;
    do {
      await this.buildIfDue();
      const newest = await this.findNewest();
      if (newest !== undefined) return referenceTo(newest);
      await pause(WAIT_POLL_MS, signal);
      signal.throwIfAborted();
    } while (Date.now() < untilMs);
    throw new Error('no replica has completed a snapshot yet');
  }

  /** The newest snapshot whose manifest is in the storage: a storage that was replaced, or restored, may lack it. */
  private async findNewest(): Promise<Snapshot | undefined> {
    for (;;) {
      const newest = await this.snapshots.newest();
      if (newest === undefined || newest.id === this.seenId) return newest;
      if ((await this.storage.find(manifestKey(newest))) !== undefined) {
        this.seenId = newest.id;
        return newest;
      }
      this.log.warn({ version: newest.version }, 'the storage does not have a snapshot of the routes');
      await this.snapshots.markLost(newest.id);
    }
  }

  /**
   * Edges refuse a snapshot whose files have changed and ask again, so one that is damaged must not stay the newest. Nobody
   * waits for the check.
   */
  private async checkFiles(snapshot: Snapshot): Promise<void> {
    const beganMs = performance.now();
    if (beganMs < this.nextCheckAtMs) return;
    this.nextCheckAtMs = Infinity;
    const { version } = snapshot;
    try {
      if (!(await isIntact(snapshot, this.storage, this.shuttingDown.signal))) {
        this.log.warn({ version }, 'snapshot of the routes is damaged in the storage; it is replaced');
        await this.snapshots.markLost(snapshot.id);
      }
    } catch (error) {
      this.log.warn({ err: error, version }, 'snapshot of the routes not checked');
    }
    const endedMs = performance.now();
    this.nextCheckAtMs = endedMs + Math.max(CHECK_PAUSE_MS, CHECK_PAUSE_RATIO * (endedMs - beganMs));
  }

  private async build(db: Database, head: FeedHead): Promise<void> {
    const { snapshots, storage, metrics } = this;
    const signal = AbortSignal.any([this.shuttingDown.signal, AbortSignal.timeout(BUILD_LIMIT_MS)]);
    const beganMs = performance.now();
    const files = await snapshots.beginSnapshot(db, head);
    try {
      const finished = await buildSnapshot(files, head.thumbprint, { db, repository: snapshots, storage, signal });
      await snapshots.finish(db, files.id, finished);
      const { hosts, bytes } = finished;
      const ms = Math.round(performance.now() - beganMs);
      this.log.info({ version: head.version, hosts, bytes, ms }, 'snapshot of the routes built');
    } catch (error) {
      this.refusal = { error, untilMs: Date.now() + RETRY_MS };
      metrics.snapshotBuild('failed');
      // If this fails too, the row is found later by its age.
      await snapshots.markLost(files.id).catch((failure: unknown) => {
        this.log.warn({ err: failure }, 'failed snapshot not marked');
      });
      throw error;
    }
    metrics.snapshotBuild('built');
  }
}

function isDue({ version, ageSeconds }: Snapshot, head: number): boolean {
  const behind = head - version;
  return (
    (behind >= MAX_VERSIONS_BEHIND && ageSeconds >= MIN_AGE_SECONDS) || (behind > 0 && ageSeconds >= MAX_AGE_SECONDS)
  );
}

function referenceTo(snapshot: Snapshot): EdgeSnapshotReference {
  const { epoch, version, manifestSha256, manifestBytes } = snapshot;
  return { kind: 'snapshot', epoch, version, manifestKey: manifestKey(snapshot), manifestSha256, manifestBytes };
}

const READ_LIMIT_MS = 30_000;

interface ExpectedFile {
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Whether the storage has every file of a snapshot as it was written. Reads all of them, with one in memory at a time.
 * @throws Error when the storage does not answer, which says nothing about the snapshot
 */
async function isIntact(snapshot: Snapshot, storage: FileStorage, signal: AbortSignal): Promise<boolean> {
  const { manifestBytes: bytes, manifestSha256 } = snapshot;
  const file = { key: manifestKey(snapshot), bytes, sha256: manifestSha256 };
  const manifest = await readIntact(file, storage, signal);
  if (manifest === undefined) return false;
  // The hash shows that this is what a build has written.
  const { chunks } = edgeSnapshotManifestSchema.parse(JSON.parse(manifest.toString()));
  for (const chunk of chunks) {
    if ((await readIntact(chunk, storage, signal)) === undefined) return false;
  }
  return true;
}

/** @returns undefined when it is absent or has other content */
async function readIntact(file: ExpectedFile, storage: FileStorage, signal: AbortSignal): Promise<Buffer | undefined> {
  signal.throwIfAborted();
  if ((await storage.find(file.key)) !== file.bytes) return undefined;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(READ_LIMIT_MS)]);
  const content = await readWhole(addAbortSignal(limited, await storage.read(file.key)), file.bytes);
  return sha256(content).toString('hex') === file.sha256 ? content : undefined;
}
