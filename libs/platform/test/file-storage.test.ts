import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import S3rver from '@20minutes/s3rver';
import {
  certificateObjectKey,
  openFileStorage,
  readStoredCertificate,
  readWhole,
  writeStoredCertificate,
  type FileStorage,
} from '../src/index.js';

const large = randomBytes(9_000_000);
const sha256 = 'ab'.repeat(32);

const credentials = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

let folder: string;
let server: S3rver;
const storages = new Map<string, FileStorage>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storage-'));
  const directory = join(folder, 'buckets');
  await mkdir(directory);
  const configureBuckets = [{ name: 'files' }];
  server = new S3rver({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets });
  const { port } = await server.run();
  // The credentials that s3rver accepts. The client reads them from the environment.
  for (const name of credentials) process.env[name] = 'S3RVER';
  const bucket = `s3://files/of/pets?endpoint=http://127.0.0.1:${port}&forcePathStyle=true`;
  storages.set('a folder', await openFileStorage(pathToFileURL(join(folder, 'local')).href));
  storages.set('a bucket', await openFileStorage(bucket));
});

afterAll(async () => {
  for (const name of credentials) delete process.env[name];
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const storageOf = (kind: string): FileStorage => {
  const storage = storages.get(kind);
  if (storage === undefined) throw new Error(`there is no ${kind}`);
  return storage;
};

describe.each(['a folder', 'a bucket'])('%s', (kind) => {
  it('reads what was written, and finds nothing else', async () => {
    const storage = storageOf(kind);
    await storage.write('a/text', 'first');
    await storage.write('a/text', 'second');
    expect(await storage.find('a/text')).toBe(6);
    expect((await readWhole(await storage.read('a/text'), 6)).toString()).toBe('second');
    expect(await storage.find('a/other')).toBeUndefined();
    expect(await storage.find('a/text/below')).toBeUndefined();
    await expect(storage.read('a/other')).rejects.toThrow();
  });

  it.each([
    ['small', Buffer.from('0123456789')],
    ['large', large],
    ['empty', Buffer.alloc(0)],
  ])('keeps a %s file byte for byte', async (name, content) => {
    const storage = storageOf(kind);
    const source = join(folder, name);
    await writeFile(source, content);
    await storage.copyFromFs(source, `contents/${sha256}`);
    expect(await storage.find(`contents/${sha256}`)).toBe(content.length);
    expect((await readWhole(await storage.read(`contents/${sha256}`), content.length)).equals(content)).toBe(true);
  });

  it('deletes a file, ignores a missing one, and deletes nothing after the abort', async () => {
    const storage = storageOf(kind);
    const signal = AbortSignal.timeout(5_000);
    for (const key of ['deleted/a', 'deleted/b']) await storage.write(key, 'x');
    for (let nth = 0; nth < 2; nth++) await storage.delete('deleted/a', signal);
    await expect(storage.delete('deleted/b', AbortSignal.abort())).rejects.toThrow();
    expect(await storage.find('deleted/a')).toBeUndefined();
    expect(await storage.find('deleted/b')).toBe(1);
  });

  it('leaves a file as it is after the abort of a write', async () => {
    const storage = storageOf(kind);
    await storage.write('aborted', 'before', AbortSignal.timeout(5_000));
    await expect(storage.write('aborted', 'after', AbortSignal.abort())).rejects.toThrow();
    expect((await readWhole(await storage.read('aborted'), 6)).toString()).toBe('before');
  });

  it('reads a sealed certificate as it was written last, and finds no other', async () => {
    const storage = storageOf(kind);
    const id = randomUUID();
    const certificate = { id, organizationId: randomUUID(), chainPem: 'chain', sealedKey: 'v1.a.b.c' };
    expect(await readStoredCertificate(storage, id)).toBeUndefined();
    await writeStoredCertificate(storage, { ...certificate, sealedKey: 'v1.a.b.b' }, AbortSignal.timeout(5_000));
    await writeStoredCertificate(storage, certificate, AbortSignal.timeout(5_000));
    expect(await readStoredCertificate(storage, id)).toEqual(certificate);
    await expect(readStoredCertificate(storage, '../certificates')).rejects.toThrow('a certificate id is a UUID');
  });

  it.each([
    ['is truncated', () => '{"id":', 'is damaged'],
    // S3 refuses to read a range of an empty file.
    ['is empty', () => '', ''],
    ['lacks its key', (id: string) => JSON.stringify({ id, organizationId: 'o', chainPem: 'c' }), 'is damaged'],
    ['is too long', () => 'x'.repeat(256 * 1024 + 1), 'has more than 262144 bytes'],
    [
      'is of another certificate',
      () => JSON.stringify({ id: randomUUID(), organizationId: 'o', chainPem: 'c', sealedKey: 's' }),
      'is of another certificate',
    ],
  ])('refuses a stored certificate that %s', async (_name, contentOf, reason) => {
    const storage = storageOf(kind);
    const id = randomUUID();
    await storage.write(certificateObjectKey(id), contentOf(id));
    await expect(readStoredCertificate(storage, id)).rejects.toThrow(reason);
  });

  it('reads a range', async () => {
    const storage = storageOf(kind);
    await storage.write('digits', '0123456789');
    const part = await storage.read('digits', { first: 3, last: 5 });
    expect((await readWhole(part, 3)).toString()).toBe('345');
  });
});

it('concurrent writes of one file to a folder do not mix and leave no temporary files', async () => {
  const storage = storageOf('a folder');
  const source = join(folder, 'twice');
  await writeFile(source, large);
  const write = () => storage.copyFromFs(source, 'twice/file');
  await Promise.all([write(), write(), write()]);
  expect((await readWhole(await storage.read('twice/file'), large.length)).equals(large)).toBe(true);
  expect(await readdir(join(folder, 'local', 'twice'))).toEqual(['file']);
  expect(await readdir(join(folder, 'local', 'unfinished'))).toEqual([]);
});

it('unfinished files of a dead process are deleted from a folder', async () => {
  const storage = storageOf('a folder');
  const unfinished = join(folder, 'local', 'unfinished');
  await mkdir(unfinished, { recursive: true });
  await writeFile(join(unfinished, 'old'), 'half of a fi');
  await writeFile(join(unfinished, 'new'), 'half of a fi');
  await utimes(join(unfinished, 'old'), new Date(0), new Date(0));
  expect(await storage.deleteAbandoned(new Date(1_000_000))).toBe(1);
  expect(await readdir(unfinished)).toEqual(['new']);
  expect(await storageOf('a bucket').deleteAbandoned(new Date())).toBe(0);
});
