import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import {
  NAMED_THUMBPRINTS_PROTOCOL,
  needsWildcardProtocol,
  WILDCARD_PROTOCOL,
  type EdgeRoute,
  type EdgeSnapshotChunk,
  type EdgeSnapshotManifest,
  type EdgeSnapshotReference,
} from '@pets/contracts';
import type { FileStorage } from '@pets/platform';

export interface EdgeSnapshotContent {
  readonly epoch: string;
  readonly version: number;
  readonly protocol: number;
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
 * Writes a snapshot of the edge feed as pets-api does, without its database; below protocol 5 without wildcards.
 * @returns the message for an edge
 */
export async function writeEdgeSnapshot(
  storage: FileStorage,
  { rows, ...position }: EdgeSnapshotContent,
  { hostsPerChunk = HOSTS_PER_CHUNK, damage = (_key, content) => content }: EdgeSnapshotOptions = {},
): Promise<EdgeSnapshotReference> {
  const folder = `snapshots/${position.epoch}/${position.version}`;
  const lines: Record<'all' | 'later', string[]> = { all: [], later: [] };
  for (const { host, version, route } of rows)
    lines[needsWildcardProtocol(host, route) ? 'later' : 'all'].push(`${host} ${version} ${JSON.stringify(route)}\n`);
  let files = 0;
  const writeChunks = async (sorted: readonly string[]) => {
    const chunks: EdgeSnapshotChunk[] = [];
    for (let first = 0; first < sorted.length; first += hostsPerChunk) {
      const some = sorted.slice(first, first + hostsPerChunk);
      const text = Buffer.from(some.join(''));
      const content = await compress(text);
      const key = `${folder}/${files++}.zst`;
      await storage.write(key, damage(key, content));
      const sizes = { bytes: content.length, textBytes: text.length, hosts: some.length };
      chunks.push({ key, sha256: sha256(content), ...sizes });
    }
    return chunks;
  };
  const byBytes = (a: string, b: string) => (a < b ? -1 : 1); // a space sorts before every character of a host
  const chunks = await writeChunks(lines.all.sort(byBytes));
  const later = await writeChunks(lines.later.sort(byBytes));
  const manifest: EdgeSnapshotManifest = {
    ...{ ...position, protocol: Math.min(position.protocol, NAMED_THUMBPRINTS_PROTOCOL) },
    ...{ format: 1, compression: 'zstd', hosts: lines.all.length, chunks },
    ...(position.protocol >= WILDCARD_PROTOCOL && { later: { protocol: position.protocol, chunks: later } }),
  };
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
