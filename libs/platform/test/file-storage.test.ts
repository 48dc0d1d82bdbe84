import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import S3rver from '@20minutes/s3rver';
import {
  contentKey,
  openFileStorage,
  readSiteIndex,
  readWhole,
  writeSiteIndex,
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
  // What s3rver takes; read by the client as everybody's are.
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
  it('gives back what was written, and nothing else', async () => {
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
    await storage.copyFromFs(source, contentKey(sha256));
    expect(await storage.find(contentKey(sha256))).toBe(content.length);
    expect((await readWhole(await storage.read(contentKey(sha256)), content.length)).equals(content)).toBe(true);
  });

  it('reads a part', async () => {
    const storage = storageOf(kind);
    await storage.write('digits', '0123456789');
    const part = await storage.read('digits', { first: 3, last: 5 });
    expect((await readWhole(part, 3)).toString()).toBe('345');
  });

  it('keeps the list of a deployment, with any name', async () => {
    const storage = storageOf(kind);
    const entry = { sha256, bytes: 1 };
    const index = new Map(
      ['index.html', '[slug]/é.js', '..', '__proto__', 'a  b'].map((path) => [path, entry] as const),
    );
    await writeSiteIndex(storage, 'c0ffee', index);
    expect(await readSiteIndex(storage, 'c0ffee')).toEqual(index);
    await expect(readSiteIndex(storage, 'beef')).rejects.toThrow('there is no deployment beef');
    await expect(readSiteIndex(storage, '../c0ffee')).rejects.toThrow('hexadecimal');
  });

  it('refuses a list that is none', async () => {
    const storage = storageOf(kind);
    await storage.write('sites/bad0.json', '{"version":1,"files":[["a","../../etc/passwd",1]]}');
    await expect(readSiteIndex(storage, 'bad0')).rejects.toThrow();
  });
});

it('two who write the same into a folder do not mix, and leave nothing behind', async () => {
  const storage = storageOf('a folder');
  const source = join(folder, 'twice');
  await writeFile(source, large);
  const write = () => storage.copyFromFs(source, 'twice/file');
  await Promise.all([write(), write(), write()]);
  expect((await readWhole(await storage.read('twice/file'), large.length)).equals(large)).toBe(true);
  expect(await readdir(join(folder, 'local', 'twice'))).toEqual(['file']);
});
