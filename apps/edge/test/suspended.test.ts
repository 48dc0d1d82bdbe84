import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { siteRoute, EdgeFixture, suspendedRoute } from './edge-fixture.js';
import { askHttp2 } from './visitor.js';

let fixture: EdgeFixture;

beforeEach(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge();
  await fixture.publishSite('site.test');
});

afterEach(() => fixture.tearDown());

const certificateId = 'certificate-of-site.test';
const suspend = () => fixture.api.publishAndSettle({ 'site.test': suspendedRoute(certificateId) });

describe('a suspended host', () => {
  it('answers 410 on both ports, over HTTP/1.1 and HTTP/2, and keeps its certificate', async () => {
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
    await suspend();
    const page = await fixture.visitor.secure('site.test');
    expect(page).toMatchObject({ status: 410, body: expect.stringContaining('suspended') });
    expect(page.headers['cache-control']).toBe('no-store');
    expect((await fixture.visitor.secure('site.test', { method: 'POST' })).status).toBe(410);
    expect((await fixture.visitor.plain('site.test')).status).toBe(410);
    expect((await askHttp2(await fixture.visitor.http2('site.test'), 'site.test')).status).toBe(410);
  });

  it('has its downloads under way ended, as after a removal', async () => {
    const socket = await fixture.visitor.handshake('site.test');
    socket.on('error', () => undefined);
    socket.write('GET /large.bin HTTP/1.1\r\nHost: site.test\r\n\r\n');
    await once(socket, 'readable', { signal: AbortSignal.timeout(30_000) });
    const closed = once(socket.resume(), 'close', { signal: AbortSignal.timeout(30_000) });
    closed.catch(() => undefined); // looked at below
    await suspend();
    await expect(closed).rejects.toThrow('ECONNRESET');
  });

  it('answers 410 also from the store of an edge that crashed', async () => {
    await fixture.visitor.secure('site.test'); // fetches the certificate
    await suspend();
    await fixture.crashEdge();
    await fixture.api.down();
    await fixture.startEdge();
    expect((await fixture.visitor.secure('site.test')).status).toBe(410);
  });

  it('serves again once it is resumed', async () => {
    await suspend();
    await fixture.api.publishAndSettle({ 'site.test': siteRoute(certificateId) });
    expect((await fixture.visitor.secure('site.test')).status).toBe(200);
  });
});
