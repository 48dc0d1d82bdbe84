import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import type { EdgeRoute, EdgeSnapshotChunk, EdgeSnapshotManifest, EdgeSnapshotReference } from '@pets/contracts';
import type { FileStorage } from '@pets/platform';

export interface EdgeSnapshotContent {
  readonly epoch: string;
  readonly version: number;
  readonly thumbprint: string | null;
  /** In any order; no host twice. */
  readonly rows: Iterable<{ readonly host: string; readonly version: number; readonly route: EdgeRoute }>;
}

export interface EdgeSnapshotOptions {
  /** 5 000 by default, about 1 MB of lines. */
  readonly hostsPerChunk?: number;
  /** Changes a file after its hash was taken. */
  readonly damage?: ((key: string, content: Buffer) => Buffer) | undefined;
}

const HOSTS_PER_CHUNK = 5_000;

const compress = promisify(zstdCompress);

/**
 * Writes a snapshot of the edge feed as pets-api does, without its database.
 * @returns the message for an edge
 */
export async function writeEdgeSnapshot(
  storage: FileStorage,
  { rows, ...position }: EdgeSnapshotContent,
  { hostsPerChunk = HOSTS_PER_CHUNK, damage = (_key, content) => content }: EdgeSnapshotOptions = {},
): Promise<EdgeSnapshotReference> {
  const folder = `snapshots/${position.epoch}/${position.version}`;
  const lines = Array.from(rows, ({ host, version, route }) => `${host} ${version} ${JSON.stringify(route)}\n`);
  lines.sort((a, b) => (a < b ? -1 : 1)); // by bytes: a space sorts before every character of a host
  const chunks: EdgeSnapshotChunk[] = [];
  for (let first = 0; first < lines.length; first += hostsPerChunk) {
    const some = lines.slice(first, first + hostsPerChunk);
    const text = Buffer.from(some.join(''));
    const compressed = await compress(text);
    const key = `${folder}/${chunks.length}.zst`;
    await storage.write(key, damage(key, compressed));
    const sizes = { bytes: compressed.length, textBytes: text.length, hosts: some.length };
    chunks.push({ key, sha256: sha256(compressed), ...sizes });
  }
  const manifest: EdgeSnapshotManifest = { format: 1, ...position, compression: 'zstd', hosts: lines.length, chunks };
  const content = Buffer.from(JSON.stringify(manifest));
  const manifestKey = `${folder}/manifest.json`;
  await storage.write(manifestKey, damage(manifestKey, content));
  const { epoch, version } = position;
  const digest = { manifestSha256: sha256(content), manifestBytes: content.length };
  return { kind: 'snapshot', epoch, version, manifestKey, ...digest };
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
