import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { askHttp2 } from './visitor.js';
import { EdgeFixture } from './edge-fixture.js';

let fixture: EdgeFixture;

beforeEach(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge();
  await fixture.publishSite('site.test');
});

afterEach(() => fixture.tearDown());

describe('a stop', () => {
  it('does not wait for idle clients, and takes leave of the API', async () => {
    const agent = fixture.visitor.keepAliveAgent();
    await fixture.visitor.secure('site.test', {}, agent);
    const session = await fixture.visitor.http2('site.test');
    await askHttp2(session, 'site.test');
    const silent = await fixture.visitor.handshake('site.test');
    const nameless = await fixture.visitor.tcp();
    const ended = [once(session, 'close'), once(silent.resume(), 'close'), once(nameless.resume(), 'close')];

    const startedAtMs = performance.now();
    await fixture.edge.stop();
    await Promise.all(ended);
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
    expect(fixture.api.deregistered).toEqual([fixture.api.acks[0]?.edgeId]);
  });

  it('lets a download under way end', async () => {
    const socket = await fixture.visitor.handshake('site.test');
    const chunks: Uint8Array[] = [];
    socket.write('GET /large.bin HTTP/1.1\r\nHost: site.test\r\n\r\n');
    await once(socket, 'readable', { signal: AbortSignal.timeout(30_000) });
    const stopped = fixture.edge.stop();
    socket.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    await once(socket, 'close', { signal: AbortSignal.timeout(30_000) });
    await stopped;
    expect(Buffer.concat(chunks).length).toBeGreaterThan(3_000_000);
  });

  it('cuts a client that does not read, in less than 9 s', async () => {
    const socket = await fixture.visitor.handshake('site.test');
    socket.on('error', () => undefined);
    await fixture.deploy({ 'huge.bin': 'x'.repeat(30_000_000) });
    socket.write('GET /huge.bin HTTP/1.1\r\nHost: site.test\r\n\r\n');
    await once(socket, 'readable', { signal: AbortSignal.timeout(30_000) }); // and never reads on
    const startedAtMs = performance.now();
    await fixture.edge.stop();
    const tookMs = performance.now() - startedAtMs;
    expect(tookMs).toBeGreaterThan(3_000);
    expect(tookMs).toBeLessThan(9_000);
  });

  it('refuses new connections at once', async () => {
    const stopped = fixture.edge.stop();
    await expect(fixture.visitor.handshake('site.test')).rejects.toThrow();
    await stopped;
  });
});
