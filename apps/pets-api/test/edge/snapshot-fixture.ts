import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import {
  edgeSnapshotManifestSchema,
  type EdgeRoute,
  type EdgeSnapshotChunk,
  type EdgeSnapshotManifest,
  type EdgeSnapshotReference,
  type Project,
} from '@pets/contracts';
import { createLogger, openFileStorage, readWhole, type FileStorage } from '@pets/platform';
import { sql } from 'kysely';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import { SnapshotCollection } from '../../src/edge/snapshots/snapshots.sweeper.js';
import { SnapshotsRepository } from '../../src/edge/snapshots/snapshots.repository.js';
import { SnapshotsService } from '../../src/edge/snapshots/snapshots.service.js';
import { ApiMetrics } from '../../src/platform/metrics/api-metrics.js';
import { ShuttingDown } from '../../src/platform/shutting-down.js';
import { backgroundTasks } from '../platform/background-tasks.js';
import { startTestApi, type TestApi } from '../harness.js';

const log = createLogger('snapshots-test', 'silent');

export const siteRoute: EdgeRoute = {
  answersChallenges: true,
  serve: { kind: 'site', contentHash: 'ab' },
  certificateId: 'c',
};

interface LoadedSnapshot {
  readonly manifest: EdgeSnapshotManifest;
  readonly rows: Map<string, EdgeRoute>;
}

/** The route table of a database, and a storage for its snapshots. */
export class SnapshotFixture {
  readonly api: TestApi;
  readonly feed: EdgeFeedRepository;
  readonly repository: SnapshotsRepository;
  readonly projectId: string;
  readonly storage: FileStorage;
  readonly #folder: string;

  private constructor(api: TestApi, projectId: string, folder: string, storage: FileStorage) {
    this.api = api;
    this.feed = new EdgeFeedRepository(api.db);
    this.repository = new SnapshotsRepository(api.db, api.db);
    this.projectId = projectId;
    this.storage = storage;
    this.#folder = folder;
  }

  static async start(): Promise<SnapshotFixture> {
    const api = await startTestApi();
    const { key } = await api.createOrganization('pro');
    const project = await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'P', slug: 'p' } });
    const folder = await mkdtemp(join(tmpdir(), 'pets-snapshots-'));
    const storage = await openFileStorage(pathToFileURL(folder).href);
    return new SnapshotFixture(api, project.body.id, folder, storage);
  }

  async clear(): Promise<void> {
    const { db } = this.api;
    await db.deleteFrom('edge_routes').execute();
    await db.deleteFrom('edge_snapshots').execute();
    await db.updateTable('edge_feed').set({ compacted_version: 0n }).execute();
    await rm(join(this.#folder, 'snapshots'), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await this.api.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  publish(routes: Record<string, EdgeRoute | null>): Promise<number> {
    const { projectId } = this;
    return this.api.db.transaction().execute((tx) => {
      const changes = Object.entries(routes).map(
        ([host, route]) => [host, { projectId, route, traceParent: null }] as const,
      );
      return this.feed.publish(tx, new Map(changes));
    });
  }

  /** Returns the service of another replica each time. */
  service(to: FileStorage = this.storage): SnapshotsService {
    return new SnapshotsService(this.repository, this.feed, to, new ShuttingDown(), new ApiMetrics(), log);
  }

  async collect(): Promise<void> {
    await new SnapshotCollection(this.repository, backgroundTasks(log), this.storage).collect();
  }

  /** The routes of a snapshot by host, read and checked as the contract says. */
  async load({
    manifestKey,
    manifestBytes,
    manifestSha256,
    epoch,
    version,
  }: EdgeSnapshotReference): Promise<LoadedSnapshot> {
    const text = await this.#read(manifestKey, manifestBytes, manifestSha256);
    const manifest = edgeSnapshotManifestSchema.parse(JSON.parse(text.toString()));
    const rows = await this.#loadChunks(manifest.chunks);
    if (rows.size !== manifest.hosts || manifest.epoch !== epoch || manifest.version !== version) {
      throw new Error('the manifest is of something else');
    }
    return { manifest, rows };
  }

  async #loadChunks(chunks: readonly EdgeSnapshotChunk[]): Promise<Map<string, EdgeRoute>> {
    const rows = new Map<string, EdgeRoute>();
    for (const { key, bytes, sha256, textBytes, hosts } of chunks) {
      const content = await this.#read(key, bytes, sha256);
      const lines = zstdDecompressSync(content, { maxOutputLength: textBytes }).toString().split('\n').slice(0, -1);
      if (lines.length !== hosts) throw new Error(`${key} does not have ${hosts} hosts`);
      for (const line of lines) {
        const [, host, route] = /^(\S+) \d+ (.*)$/.exec(line) ?? [];
        if (host === undefined || route === undefined) throw new Error(`${key} has another form`);
        rows.set(host, JSON.parse(route) as EdgeRoute);
      }
    }
    return rows;
  }

  /** The names of all files of snapshots. */
  async files(): Promise<string[]> {
    const root = join(this.#folder, 'snapshots');
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  /** Makes every snapshot older. */
  async age(minutes: number): Promise<void> {
    await sql`update edge_snapshots set finished_at = finished_at - make_interval(mins => ${minutes}),
      started_at = started_at - make_interval(mins => ${minutes})`.execute(this.api.db);
  }

  async #read(key: string, bytes: number, sha256: string): Promise<Buffer> {
    const content = await readWhole(await this.storage.read(key), bytes);
    if (createHash('sha256').update(content).digest('hex') !== sha256) throw new Error(`${key} has another SHA-256`);
    return content;
  }
}
