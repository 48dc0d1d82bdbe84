import { createHash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import type { EdgeRoute, EdgeSnapshotManifest, EdgeSnapshotReference } from '@pets/contracts';
import type { FileStorage } from '@pets/platform';

export interface SnapshotContent {
  readonly epoch: string;
  readonly version: number;
  readonly protocol: number;
  readonly thumbprint: string | null;
  readonly rows: readonly { readonly host: string; readonly version: number; readonly route: EdgeRoute }[];
}

const HOSTS_PER_CHUNK = 100;

/** Writes a snapshot as the API does. @param damage changes a file after its hash was taken */
export async function writeSnapshot(
  storage: FileStorage,
  { rows, ...position }: SnapshotContent,
  damage: (key: string, content: Buffer) => Buffer = (_key, content) => content,
): Promise<EdgeSnapshotReference> {
  const folder = `snapshots/${position.epoch}/${position.version}`;
  const sorted = rows.toSorted((one, other) => Buffer.compare(Buffer.from(one.host), Buffer.from(other.host)));
  const chunks: EdgeSnapshotManifest['chunks'] = [];
  for (let first = 0; first < sorted.length; first += HOSTS_PER_CHUNK) {
    const some = sorted.slice(first, first + HOSTS_PER_CHUNK);
    const text = some.map(({ host, version, route }) => `${host} ${version} ${JSON.stringify(route)}\n`).join('');
    const content = zstdCompressSync(text);
    const key = `${folder}/${chunks.length}.zst`;
    await storage.write(key, damage(key, content));
    const sizes = { bytes: content.length, textBytes: Buffer.byteLength(text), hosts: some.length };
    chunks.push({ key, sha256: sha256(content), ...sizes });
  }
  const manifest: EdgeSnapshotManifest = {
    ...position,
    format: 1,
    compression: 'zstd',
    hosts: sorted.length,
    chunks,
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
