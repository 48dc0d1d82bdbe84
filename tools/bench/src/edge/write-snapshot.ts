import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import {
  edgeFeedProtocols,
  type EdgeRoute,
  type EdgeSnapshotManifest,
  type EdgeSnapshotReference,
} from '@pets/contracts';
import type { FileStorage } from '@pets/platform';

/** A table in its first version. */
export interface SnapshotContent {
  readonly epoch: string;
  readonly thumbprint: string | null;
  readonly routes: Iterable<readonly [host: string, route: EdgeRoute]>;
}

export const VERSION = 1;

/** About 1 MB of lines. */
const HOSTS_PER_CHUNK = 5_000;

const compress = promisify(zstdCompress);

/** Writes a snapshot as pets-api does, without its database. */
export async function writeSnapshot(
  storage: FileStorage,
  { epoch, thumbprint, routes }: SnapshotContent,
): Promise<EdgeSnapshotReference> {
  const lines = [...linesOf(routes)].sort((a, b) => (a < b ? -1 : 1)); // a space sorts before every character of a host
  const folder = `snapshots/${epoch}/${VERSION}`;
  const chunks: EdgeSnapshotManifest['chunks'] = [];
  for (let first = 0; first < lines.length; first += HOSTS_PER_CHUNK) {
    const some = lines.slice(first, first + HOSTS_PER_CHUNK);
    const text = Buffer.from(some.join(''));
    const content = await compress(text);
    const key = `${folder}/${chunks.length}.zst`;
    await storage.write(key, content);
    const sizes = { bytes: content.length, textBytes: text.length, hosts: some.length };
    chunks.push({ key, sha256: sha256(content), ...sizes });
  }
  const manifest: EdgeSnapshotManifest = {
    ...{ format: 1, epoch, version: VERSION, protocol: edgeFeedProtocols.newest, thumbprint, compression: 'zstd' },
    ...{ hosts: lines.length, chunks },
  };
  const content = Buffer.from(JSON.stringify(manifest));
  const manifestKey = `${folder}/manifest.json`;
  await storage.write(manifestKey, content);
  const digest = { manifestSha256: sha256(content), manifestBytes: content.length };
  return { kind: 'snapshot', epoch, version: VERSION, manifestKey, ...digest };
}

function* linesOf(routes: SnapshotContent['routes']): Generator<string> {
  for (const [host, route] of routes) yield `${host} ${VERSION} ${JSON.stringify(route)}\n`;
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
