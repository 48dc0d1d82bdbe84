import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openFileStorage } from '@pets/platform';
import { contentKey } from '@pets/sites';
import { startTestBucket, waitUntil, type TestBucket } from '@pets/testing';
import { EdgeFixture } from './edge-fixture.js';

const large = randomBytes(3_000_000);
const key = contentKey(createHash('sha256').update(large).digest('hex'));

let bucket: TestBucket;
let proxy: CountingProxy;
let fixture: EdgeFixture;
const environment = { ...process.env };

/** Counts what the edge asks an S3 server for. */
class CountingProxy {
  readonly paths: string[] = [];
  /** Paths of files that were read completely. */
  readonly complete: string[] = [];
  isDown = false;
  #server: Server | undefined;

  constructor(readonly target: URL) {}

  async start(): Promise<string> {
    this.#server = createServer((incoming, outgoing) => {
      this.paths.push(incoming.url ?? '');
      if (incoming.method === 'GET' && incoming.headers.range === undefined) this.complete.push(incoming.url ?? '');
      if (this.isDown) return void incoming.socket.destroy();
      const { method, url, headers } = incoming;
      const options = { host: this.target.hostname, port: this.target.port, method, path: url, headers };
      incoming.pipe(
        request(options, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(outgoing);
        }).on('error', () => outgoing.destroy()),
      );
    });
    await new Promise<void>((resolve) => this.#server?.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server?.address() as AddressInfo).port}`; // a TCP server's address is never a path
  }

  readsOf(stored: string): number {
    return this.paths.filter((path) => path.includes(stored)).length;
  }

  stop(): void {
    this.#server?.close();
    this.#server?.closeAllConnections();
  }
}

beforeAll(async () => {
  bucket = await startTestBucket();
  Object.assign(process.env, bucket.credentials);
});
afterAll(async () => {
  process.env = environment;
  await bucket.stop();
});

beforeEach(async () => {
  fixture = await EdgeFixture.build();
  const url = new URL(bucket.url);
  proxy = new CountingProxy(new URL(url.searchParams.get('endpoint') ?? ''));
  url.searchParams.set('endpoint', await proxy.start());
  fixture.env['STORAGE_URL'] = url.href;
  await fixture.deploy({ 'index.html': 'Home', 'large.bin': large });
});
afterEach(async () => {
  await fixture.tearDown();
  proxy.stop();
});

const get = (range?: string) =>
  fixture.visitor.secure('site.test', { path: '/large.bin', headers: range === undefined ? {} : { range } });
const cacheFolder = () => join(fixture.edgeFolder, 'cache', 'site-files');

async function cachedFiles(): Promise<readonly string[]> {
  const paths = await readdir(cacheFolder(), { recursive: true });
  return paths.filter((path) => /^[0-9a-f]{2}\/./.test(path));
}

async function startServing(settings: Record<string, string> = {}): Promise<void> {
  await fixture.startEdge(settings);
  await fixture.publishSite('site.test');
}

async function untilCached(): Promise<void> {
  await get();
  await get();
  await waitUntil(async () => (await cachedFiles()).length === 1, { message: 'the file is cached' });
}

describe('a large file of a bucket', () => {
  it('is copied to the disk at its second request, and served from there also without the storage', async () => {
    await startServing();
    await get();
    expect(await cachedFiles()).toEqual([]);
    await untilCached();
    proxy.isDown = true;
    const readsBefore = proxy.readsOf(key);
    expect((await get()).bytes.equals(large)).toBe(true);
    const part = await get('bytes=1000001-1999999');
    expect(part.status).toBe(206);
    expect(part.bytes.equals(large.subarray(1_000_001, 2_000_000))).toBe(true);
    expect((await get('bytes=-7')).bytes.equals(large.subarray(-7))).toBe(true);
    expect(proxy.readsOf(key)).toBe(readsBefore);
  });

  it('is served from the storage when its copy has disappeared', async () => {
    await startServing();
    await untilCached();
    await get();
    await Promise.all((await cachedFiles()).map((path) => rm(join(cacheFolder(), path))));
    expect((await get('bytes=500-2999999')).bytes.equals(large.subarray(500))).toBe(true);
  });

  it('is not kept when the storage has another content than its hash names', async () => {
    const storage = await openFileStorage(fixture.env['STORAGE_URL'] ?? '');
    await storage.write(key, randomBytes(large.length));
    await startServing();
    for (let visit = 0; visit < 2; visit++) await get();
    await waitUntil(() => proxy.complete.some((path) => path.includes(key)), { message: 'the copy was tried' });
    await fixture.stopEdge(); // waits for the copy
    expect(await cachedFiles()).toEqual([]);
    await storage.write(key, large);
  });

  it.each([
    ['larger than an eighth of the cache', '20000000'],
    ['without a cache', '0'],
  ])('is not copied: %s', async (_name, bytes) => {
    await startServing({ EDGE_SITE_CACHE_BYTES: bytes });
    for (let visit = 0; visit < 3; visit++) expect((await get()).bytes.equals(large)).toBe(true);
    await fixture.stopEdge();
    expect(await cachedFiles().catch(() => [])).toEqual([]);
  });
});
