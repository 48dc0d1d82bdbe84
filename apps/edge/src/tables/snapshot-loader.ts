import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { exponentialDelayMs, retry } from '@pets/async';
import {
  edgeRouteSchema,
  edgeSnapshotManifestSchema,
  type EdgeSnapshotChunk,
  type EdgeSnapshotManifest,
  type EdgeSnapshotReference,
} from '@pets/contracts/edge-feed';
import { readUntilAborted, type FileStorage } from '@pets/platform';
import type { RouteRow, StorePosition } from '../store/table-schema.js';

/** The limit for one file, at most 4 MiB. */
const READ_LIMIT_MS = 15_000;
const READ_ATTEMPTS = 5;
const RETRY_DELAY = { firstMs: 100, maxMs: 2_000 };

/** Chunks that are read or ready at the same time: hides the latency of a bucket, in at most 20 MiB of memory. */
const CHUNKS_AHEAD = 4;

/** The snapshot is not what the API announced, or cannot be read. The reason is in the message. */
class SnapshotError extends Error {
  override readonly name = 'SnapshotError';
}

export interface LoadedSnapshot {
  readonly position: StorePosition;
  /** All routes in ascending order of hosts. Rejects with `SnapshotError`, after which nothing that it gave may be served. */
  readonly rows: AsyncIterable<RouteRow[]>;
}

/** A file of the snapshot, and what it must be. */
interface File {
  readonly key: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Opens the snapshot that the API announced. Everything is checked against the SHA-256 of the manifest, which came over the
 * authenticated session: who can write to the storage does not decide routing.
 * @throws SnapshotError, or the reason of the signal after its abort
 */
export async function loadSnapshot(
  storage: FileStorage,
  reference: EdgeSnapshotReference,
  signal: AbortSignal,
): Promise<LoadedSnapshot> {
  const { manifestKey: key, manifestBytes: bytes, manifestSha256: sha256 } = reference;
  const manifest = parseManifest(await readFile(storage, { key, bytes, sha256 }, signal), reference);
  const { epoch, version, thumbprint, chunks } = manifest;
  return { position: { epoch, version, thumbprint }, rows: readRows(storage, chunks, signal) };
}

function parseManifest(content: Buffer, { epoch, version }: EdgeSnapshotReference): EdgeSnapshotManifest {
  let manifest: EdgeSnapshotManifest;
  try {
    manifest = edgeSnapshotManifestSchema.parse(JSON.parse(content.toString()));
  } catch (cause) {
    throw new SnapshotError('the manifest has another form', { cause });
  }
  if (manifest.epoch !== epoch || manifest.version !== version) {
    throw new SnapshotError(`the manifest is of version ${manifest.version} of epoch ${manifest.epoch}`);
  }
  const hosts = manifest.chunks.reduce((sum, chunk) => sum + chunk.hosts, 0);
  if (hosts !== manifest.hosts) throw new SnapshotError('the chunks do not have the number of hosts of the manifest');
  return manifest;
}

async function* readRows(
  storage: FileStorage,
  chunks: readonly EdgeSnapshotChunk[],
  signal: AbortSignal,
): AsyncGenerator<RouteRow[]> {
  const stopped = new AbortController();
  const either = AbortSignal.any([signal, stopped.signal]);
  const read = (chunk: EdgeSnapshotChunk) => {
    const text = readText(storage, chunk, either);
    // Awaited only when it is its turn; a chunk before it may have ended the loop.
    text.catch(() => undefined);
    return { chunk, text };
  };
  const ahead = chunks.slice(0, CHUNKS_AHEAD).map(read);
  let next = ahead.length;
  let previousHost = '';
  try {
    for (let first = ahead.shift(); first !== undefined; first = ahead.shift()) {
      const rows = parseRows(await first.text, first.chunk, previousHost);
      const further = chunks[next++];
      if (further !== undefined) ahead.push(read(further));
      previousHost = rows.at(-1)?.host ?? previousHost;
      yield rows;
    }
  } finally {
    stopped.abort();
  }
}

const decompress = promisify(zstdDecompress);

async function readText(storage: FileStorage, chunk: EdgeSnapshotChunk, signal: AbortSignal): Promise<string> {
  const { key, textBytes } = chunk;
  const content = await readFile(storage, chunk, signal);
  const text = await decompress(content, { maxOutputLength: textBytes, chunkSize: Math.max(textBytes, 64) }).catch(
    (cause: unknown) => {
      throw new SnapshotError(`${key} cannot be decompressed`, { cause });
    },
  );
  if (text.length !== textBytes) throw new SnapshotError(`${key} does not contain ${textBytes} bytes`);
  return text.toString();
}

/** @throws SnapshotError unless the text has the rows of the chunk, in ascending order after the previous host */
function parseRows(text: string, { key, hosts }: EdgeSnapshotChunk, previousHost: string): RouteRow[] {
  const rows: RouteRow[] = [];
  let before = previousHost;
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start);
    const row = end < 0 ? undefined : parseRow(text.slice(start, end));
    if (row === undefined) throw new SnapshotError(`${key} has a line of another form`);
    // Host names are ASCII, so this is the order of their bytes.
    if (row.host <= before) throw new SnapshotError(`${key} is not in ascending order of hosts`);
    before = row.host;
    rows.push(row);
    start = end + 1;
  }
  if (rows.length !== hosts) throw new SnapshotError(`${key} does not have ${hosts} hosts`);
  return rows;
}

/** `<host> <version> <route>` */
function parseRow(line: string): RouteRow | undefined {
  const afterHost = line.indexOf(' ');
  const afterVersion = line.indexOf(' ', afterHost + 1);
  if (afterHost < 1 || afterVersion < 0) return undefined;
  const version = Number(line.slice(afterHost + 1, afterVersion));
  const route = line.slice(afterVersion + 1);
  if (!Number.isSafeInteger(version) || !isRoute(route)) return undefined;
  return { host: line.slice(0, afterHost), version, route };
}

function isRoute(text: string): boolean {
  try {
    return edgeRouteSchema.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

/** Reads a file and checks its size and hash. Retries what the storage may do better; wrong content is not retried. */
async function readFile(storage: FileStorage, file: File, signal: AbortSignal): Promise<Buffer> {
  const nextDelayMs = (failures: number, error: unknown) =>
    error instanceof SnapshotError || signal.aborted || failures >= READ_ATTEMPTS
      ? null
      : exponentialDelayMs(RETRY_DELAY, failures);
  let content: Buffer;
  try {
    content = await retry(() => readOnce(storage, file, signal), { nextDelayMs, signal });
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof SnapshotError) throw cause;
    throw new SnapshotError(`${file.key} cannot be read`, { cause });
  }
  if (createHash('sha256').update(content).digest('hex') !== file.sha256) {
    throw new SnapshotError(`${file.key} has another SHA-256`);
  }
  return content;
}

async function readOnce(storage: FileStorage, { key, bytes }: File, signal: AbortSignal): Promise<Buffer> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(READ_LIMIT_MS)]);
  const stream = await readUntilAborted(storage, key, limited);
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream) {
    parts.push(part as Buffer); // no encoding is set, so parts are bytes
    size += (part as Buffer).length;
    if (size > bytes) break;
  }
  if (size !== bytes) throw new SnapshotError(`${key} does not have ${bytes} bytes`);
  return Buffer.concat(parts, bytes);
}
