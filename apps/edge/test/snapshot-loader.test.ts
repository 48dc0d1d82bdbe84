import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EdgeRoute, EdgeSnapshotManifest, EdgeSnapshotReference } from '@pets/contracts';
import { openFileStorage, type FileStorage } from '@pets/platform';
import type { RouteRow } from '../src/store/table-schema.js';
import { loadSnapshot } from '../src/tables/snapshot-loader.js';
import { writeSnapshot } from './write-snapshot.js';

const route: EdgeRoute = {
  answersChallenges: true,
  serve: { kind: 'site', contentHash: 'ab' },
  certificateId: 'c',
};
const routeText = JSON.stringify(route);
const content = {
  epoch: 'e',
  version: 700,
  thumbprint: 'thumb',
  rows: Array.from({ length: 1_000 }, (_, i) => ({ host: `h${i}.test`, version: i + 1, route })),
};

let folder: string;
let storage: FileStorage;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-snapshot-'));
  storage = await openFileStorage(pathToFileURL(folder).href);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function load(reference: EdgeSnapshotReference, from = storage, signal = AbortSignal.timeout(30_000)) {
  const { position, rows } = await loadSnapshot(from, reference, signal);
  const loaded: RouteRow[] = [];
  for await (const some of rows) loaded.push(...some);
  return { position, rows: loaded };
}

/** Writes a snapshot of these texts, one a chunk, whose hashes and sizes are right unless they are given. */
async function writeChunks(
  texts: readonly string[],
  chunk: Partial<EdgeSnapshotManifest['chunks'][number]> = {},
  manifest: object = {},
): Promise<EdgeSnapshotReference> {
  const chunks = await Promise.all(
    texts.map(async (text, index) => {
      const compressed = zstdCompressSync(text);
      const key = `snapshots/e/1/${index}.zst`;
      await storage.write(key, compressed);
      const hosts = text.split('\n').length - 1;
      const sizes = { bytes: compressed.length, textBytes: Buffer.byteLength(text), hosts };
      return { key, sha256: sha256(compressed), ...sizes, ...chunk };
    }),
  );
  const hosts = chunks.reduce((sum, { hosts: some }) => sum + some, 0);
  const head = { format: 1, epoch: 'e', version: 1, thumbprint: null, compression: 'zstd', hosts };
  const bytes = Buffer.from(JSON.stringify({ ...head, chunks, ...manifest }));
  const manifestKey = 'snapshots/e/1/manifest.json';
  await storage.write(manifestKey, bytes);
  const digest = { manifestSha256: sha256(bytes), manifestBytes: bytes.length };
  return { kind: 'snapshot', epoch: 'e', version: 1, manifestKey, ...digest };
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const line = (host: string) => `${host} 1 ${routeText}\n`;

it('gives every row in ascending order of hosts, with the position', async () => {
  const { position, rows } = await load(await writeSnapshot(storage, content));
  expect(position).toEqual({ epoch: 'e', version: 700, thumbprint: 'thumb' });
  expect(rows).toHaveLength(1_000);
  expect(rows.map(({ host }) => host)).toEqual(content.rows.map(({ host }) => host).toSorted());
  expect(rows).toContainEqual({ host: 'h41.test', version: 42, route: routeText });
});

it('gives no rows for a table without any', async () => {
  expect((await load(await writeSnapshot(storage, { ...content, rows: [] }))).rows).toEqual([]);
});

describe('refuses', () => {
  const flip = (bytes: Buffer) => Buffer.from(bytes.map((byte, index) => (index === 20 ? byte ^ 1 : byte)));
  it.each([
    ['a changed manifest', 'manifest.json', flip, 'manifest.json has another SHA-256'],
    ['a truncated manifest', 'manifest.json', (bytes: Buffer) => bytes.subarray(1), 'does not have'],
    ['a changed chunk', '/3.zst', flip, '3.zst has another SHA-256'],
    ['a truncated chunk', '/3.zst', (bytes: Buffer) => bytes.subarray(0, -1), '3.zst does not have'],
    ['a chunk with more bytes', '/3.zst', (bytes: Buffer) => Buffer.concat([bytes, bytes]), '3.zst does not have'],
  ])('%s', async (_name, file, damage, reason) => {
    const reference = await writeSnapshot(storage, content, (key, bytes) =>
      key.endsWith(file) ? damage(bytes) : bytes,
    );
    await expect(load(reference)).rejects.toMatchObject({
      name: 'SnapshotError',
      message: expect.stringContaining(reason),
    });
  });

  it('a missing chunk, after a few attempts', async () => {
    const reference = await writeSnapshot(storage, content);
    await storage.delete('snapshots/e/700/5.zst', AbortSignal.timeout(1_000));
    await expect(load(reference)).rejects.toThrow('5.zst cannot be read');
  });

  it.each([
    ['a manifest of another version', {}, { version: 2 }, 'version 2'],
    ['a manifest of another epoch', {}, { epoch: 'f' }, 'epoch f'],
    ['another sum of hosts', {}, { hosts: 9 }, 'number of hosts'],
    ['another format', {}, { format: 2 }, 'another form'],
    ['a manifest that allows a chunk too much memory', { textBytes: 2 ** 30 }, {}, 'another form'],
    ['more text than announced', { textBytes: 5 }, {}, 'cannot be decompressed'],
    ['less text than announced', { textBytes: 500 }, {}, 'does not contain 500 bytes'],
  ])('%s', async (_name, chunk, manifest, reason) => {
    const reference = await writeChunks([line('a.test')], chunk, manifest);
    await expect(load(reference)).rejects.toMatchObject({
      name: 'SnapshotError',
      message: expect.stringContaining(reason),
    });
  });

  it.each([
    ['hosts in another order', [line('b.test') + line('a.test')], 'order of hosts'],
    ['a chunk that begins before the end of the last one', [line('b.test'), line('a.test')], 'order of hosts'],
    ['a host twice', [line('a.test'), line('a.test')], 'order of hosts'],
    ['a line without a version', [`a.test ${routeText}\n`], 'another form'],
    ['a last line that is cut off', [`${line('a.test')}b.test 1 ${routeText}`], 'another form'],
    ['a route of another form', ['a.test 1 {}\n'], 'another form'],
    ['a route that is no JSON', ['a.test 1 {\n'], 'another form'],
  ])('%s', async (_name, texts, reason) => {
    await expect(load(await writeChunks(texts))).rejects.toThrow(reason);
  });
});

it('reads again where the storage fails for a moment', async () => {
  const reference = await writeSnapshot(storage, content);
  const failed = new Set<string>();
  const failing: FileStorage = {
    ...storage,
    read: (key) => {
      if (failed.has(key)) return storage.read(key);
      failed.add(key);
      return Promise.reject(new Error('unavailable'));
    },
  };
  expect((await load(reference, failing)).rows).toHaveLength(1_000);
});

it('stops at once when it is aborted, even if the storage does not answer', async () => {
  const reference = await writeSnapshot(storage, content);
  const abort = new AbortController();
  const silent: FileStorage = {
    ...storage,
    read: (key) => {
      if (key.endsWith('manifest.json')) return storage.read(key);
      setImmediate(() => abort.abort(new Error('stopped')));
      return new Promise(() => undefined);
    },
  };
  await expect(load(reference, silent, abort.signal)).rejects.toThrow('stopped');
});
