/**
 * Builds a snapshot of the route table: pages of hosts in ascending order, each read in a transaction of its own, become
 * compressed chunks in the storage; the manifest follows, and at last the row becomes complete. Memory holds a few pages.
 *
 * The version is the feed's head before the first page. Whatever was published up to it is in the pages. A later change is
 * there too if its page was read after it, and edges receive it again with the changes after the version.
 *
 * Wherever the process dies, no edge receives the snapshot, and its row says which files to delete.
 */
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import { exponentialDelayMs, retry } from '@pets/async';
import {
  MAX_SNAPSHOT_CHUNK_BYTES,
  MAX_SNAPSHOT_CHUNK_TEXT_BYTES,
  MAX_SNAPSHOT_MANIFEST_BYTES,
  type EdgeSnapshotChunk,
  type EdgeSnapshotManifest,
} from '@pets/contracts';
import type { Database } from '@pets/persistence';
import type { FileStorage } from '@pets/platform';
import { sha256 } from '../../platform/hashes.js';
import {
  chunkKey,
  manifestKey,
  type FinishedSnapshot,
  type RoutePage,
  type SnapshotFiles,
  type SnapshotsRepository,
} from './snapshots.repository.js';

/** About 1.3 MB of text and 0.3 MB compressed: a page takes 20 ms, and a million hosts have 200 chunks. */
const HOSTS_PER_CHUNK = 5_000;

/** Hides the latency of the storage. */
const CONCURRENT_WRITES = 3;
const WRITE_LIMIT_MS = 30_000;
const WRITE_ATTEMPTS = 5;
const RETRY_DELAY = { firstMs: 200, maxMs: 5_000 };

const compress = promisify(zstdCompress);

export interface BuildOptions {
  /** The connection with the lock. */
  readonly db: Database;
  readonly repository: Pick<SnapshotsRepository, 'page' | 'countChunk'>;
  readonly storage: FileStorage;
  readonly signal: AbortSignal;
  readonly hostsPerChunk?: number;
}

/** A page, and its compressed text. */
interface ChunkContent extends RoutePage {
  readonly content: Buffer;
}

/**
 * Writes all files of a snapshot whose row has begun.
 * @throws Error when the database or the storage fails; then no write is in progress any more
 */
export async function buildSnapshot(
  snapshot: SnapshotFiles,
  thumbprint: string | null,
  options: BuildOptions,
): Promise<FinishedSnapshot> {
  const { epoch, version } = snapshot;
  const chunks = await writeChunks(snapshot, options);
  const hosts = sum(chunks.map((chunk) => chunk.hosts));
  const manifest: EdgeSnapshotManifest = {
    format: 1,
    epoch,
    version,
    thumbprint,
    compression: 'zstd',
    hosts,
    chunks: [...chunks],
  };
  const content = Buffer.from(JSON.stringify(manifest));
  if (content.length > MAX_SNAPSHOT_MANIFEST_BYTES) throw new Error('the manifest is too large');
  await write(manifestKey(snapshot), content, options.storage, options.signal);
  return {
    hosts,
    bytes: content.length + sum(chunks.map(({ bytes }) => bytes)),
    manifestSha256: sha256(content).toString('hex'),
    manifestBytes: content.length,
  };
}

async function writeChunks(snapshot: SnapshotFiles, options: BuildOptions): Promise<readonly EdgeSnapshotChunk[]> {
  const { db, repository, storage } = options;
  const failed = new AbortController();
  const signal = AbortSignal.any([options.signal, failed.signal]);
  const chunks: EdgeSnapshotChunk[] = [];
  const writing: Promise<void>[] = [];
  try {
    for await (const { text, hosts, content } of readChunks(options)) {
      const key = chunkKey(snapshot, chunks.length);
      const sizes = { bytes: content.length, textBytes: Buffer.byteLength(text), hosts };
      chunks.push({ key, sha256: sha256(content).toString('hex'), ...sizes });
      await repository.countChunk(db, snapshot.id, chunks.length);
      if (writing.length === CONCURRENT_WRITES) await writing.shift();
      const written = write(key, content, storage, signal);
      // Awaited only when it is its turn, or after a failure.
      written.catch(() => undefined);
      writing.push(written);
    }
    await Promise.all(writing);
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled(writing);
    throw error;
  }
  return chunks;
}

/** All served hosts. A page that is too large as a chunk, as with the longest names and redirects, is read again with fewer. */
async function* readChunks({
  db,
  repository,
  signal,
  hostsPerChunk = HOSTS_PER_CHUNK,
}: BuildOptions): AsyncGenerator<ChunkContent> {
  let after = '';
  let limit = hostsPerChunk;
  for (;;) {
    signal.throwIfAborted();
    const page = await repository.page(db, after, limit);
    if (page === undefined) return;
    const content = await compressChunk(page);
    if (content === undefined) {
      if (limit === 1) throw new Error(`the route of ${page.lastHost} is too large`);
      limit = Math.ceil(limit / 2);
      continue;
    }
    yield { ...page, content };
    after = page.lastHost;
    limit = hostsPerChunk;
  }
}

/** @returns undefined when it is too large as a chunk */
async function compressChunk({ text }: RoutePage): Promise<Buffer | undefined> {
  const bytes = Buffer.from(text);
  const content = bytes.length > MAX_SNAPSHOT_CHUNK_TEXT_BYTES ? undefined : await compress(bytes);
  return content === undefined || content.length > MAX_SNAPSHOT_CHUNK_BYTES ? undefined : content;
}

function write(key: string, content: Buffer, storage: FileStorage, signal: AbortSignal): Promise<void> {
  const attempt = () => storage.write(key, content, AbortSignal.any([signal, AbortSignal.timeout(WRITE_LIMIT_MS)]));
  const nextDelayMs = (failures: number) =>
    signal.aborted || failures >= WRITE_ATTEMPTS ? null : exponentialDelayMs(RETRY_DELAY, failures);
  return retry(attempt, { nextDelayMs, signal });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
