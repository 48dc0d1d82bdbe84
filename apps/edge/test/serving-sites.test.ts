import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { contentKey, indexKey } from '@pets/sites';
import { waitUntil } from '@pets/testing';
import { askSite, buildSite, hsts, lasting, SITE_HASH } from './site.js';
import { redirectRoute, siteRoute, type EdgeFixture } from './edge-fixture.js';
import { bufferLimit } from './socket-buffers.js';

let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await buildSite();
});
afterAll(() => fixture.tearDown());

describe('Strict-Transport-Security', () => {
  it('is sent with every answer if the project enables it', async () => {
    for (const path of ['/', '/nowhere', '/%2e%2e'])
      expect((await fixture.visitor.secure('strict.test', { path })).headers['strict-transport-security']).toBe(hsts);
    const { etag = '' } = (await fixture.visitor.secure('strict.test')).headers;
    const known = await fixture.visitor.secure('strict.test', { headers: { 'if-none-match': etag } });
    expect(known.status).toBe(304);
    expect(known.headers['strict-transport-security']).toBe(hsts);
    const moved = await fixture.visitor.secure('moved.test', { method: 'HEAD' });
    expect(moved.status).toBe(301);
    expect(moved.headers['strict-transport-security']).toBe(hsts);
  });

  it('is not sent otherwise, and never over plain HTTP', async () => {
    const replies = [
      await askSite(fixture, '/'),
      await fixture.visitor.secure('acme.pets.test'),
      await fixture.visitor.plain('strict.test'),
      await fixture.visitor.plain('moved.test'),
      await fixture.visitor.secure('site.test', { host: 'strict.test' }),
    ];
    for (const { headers } of replies) expect(headers['strict-transport-security']).toBeUndefined();
  });
});

describe('the file storage', () => {
  it('is read only once for a file', async () => {
    const content = 'read once';
    await fixture.deploy({ 'index.html': content }, 'abba');
    await fixture.issue('once', 'once.test');
    await fixture.api.publishAndSettle({ 'once.test': siteRoute('once', 'abba') });
    expect((await fixture.visitor.secure('once.test')).body).toBe(content);
    await rm(join(fixture.folder, 'files', indexKey('abba')));
    await rm(fileOf(content));
    expect((await fixture.visitor.secure('once.test')).body).toBe(content);
  });

  it('causes a 503 and no damaged connection when it has lost a file', async () => {
    const content = 'lost';
    await fixture.deploy({ 'index.html': content, 'other.html': 'kept' }, 'dead');
    await fixture.issue('lost', 'lost.test');
    await fixture.api.publishAndSettle({ 'lost.test': siteRoute('lost', 'dead') });
    await rm(fileOf(content));
    const agent = fixture.visitor.keepAliveAgent();
    expect((await fixture.visitor.secure('lost.test', {}, agent)).status).toBe(503);
    expect((await fixture.visitor.secure('lost.test', { path: '/other' }, agent)).body).toBe('kept');
  });

  it('is not read further after a client has disconnected', async () => {
    const content = Buffer.alloc((await bufferLimit()) + 8_000_000, 'l');
    await fixture.deploy({ 'huge.bin': content }, 'feed');
    await fixture.issue('huge', 'huge.test');
    await fixture.api.publishAndSettle({ 'huge.test': siteRoute('huge', 'feed') });
    // Its name is its hash, which takes longer than a look at what is open.
    const path = fileOf(content);
    const socket = await fixture.visitor.handshake('huge.test');
    socket.write('GET /huge.bin HTTP/1.1\r\nHost: huge.test\r\n\r\n');
    await once(socket, 'readable', { signal: AbortSignal.timeout(30_000) });
    // Opened once the write of the head was completed, which may be after the client has read it.
    await waitUntil(async () => (await countOpen(path)) > 0, { message: 'the file is open' });
    socket.destroy();
    await waitUntil(async () => (await countOpen(path)) === 0, { message: 'the file is closed' });
  });
});

describe('a host without a certificate', () => {
  it('gets handshakes as soon as its certificate exists', async () => {
    await fixture.api.publishAndSettle({ 'soon.test': siteRoute(null, SITE_HASH) });
    await expect(fixture.visitor.handshake('soon.test')).rejects.toThrow('unrecognized name');
    await fixture.issue('soon', 'soon.test');
    await fixture.api.publishAndSettle({ 'soon.test': siteRoute('soon', SITE_HASH) });
    expect((await fixture.visitor.secure('soon.test')).status).toBe(200);
  });
});

describe('a redirect', () => {
  it('is the current one over HTTP and HTTPS', async () => {
    await fixture.issue('turning', 'turning.test');
    const turns = [
      [redirectRoute('site.test', 'turning', 301), 301, 'https://site.test/a?b=c'],
      [redirectRoute('strict.test', 'turning', 307), 307, 'https://strict.test/a?b=c'],
    ] as const;
    for (const [route, status, location] of turns) {
      await fixture.api.publishAndSettle({ 'turning.test': route });
      for (const method of ['HEAD', 'GET']) {
        const asking = { method, path: '/a?b=c', headers: { host: 'Turning.test' } };
        const replies = [
          await fixture.visitor.secure('turning.test', asking),
          await fixture.visitor.plain('turning.test', asking),
        ];
        for (const reply of replies) {
          expect(reply).toMatchObject({ status, body: '' });
          expect(lasting(reply)).toEqual({
            location,
            'cache-control': 'max-age=60',
            'content-length': '0',
            'x-content-type-options': 'nosniff',
          });
        }
      }
    }
  });
});

function fileOf(content: string | Buffer): string {
  return join(fixture.folder, 'files', contentKey(createHash('sha256').update(content).digest('hex')));
}

/** How often this process has a file open, from Linux's /proc. */
async function countOpen(path: string): Promise<number> {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target === path).length;
}
