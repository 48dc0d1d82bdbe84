import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { askHttp2 } from './visitor.js';
import { Stand } from './stand.js';

let stand: Stand;

beforeEach(async () => {
  stand = await Stand.build();
  await stand.startEdge();
  await stand.publishSite('site.test');
});

afterEach(() => stand.tearDown());

describe('a stop', () => {
  it('does not wait for idle clients, and takes leave of the API', async () => {
    const agent = stand.visitor.keepAliveAgent();
    await stand.visitor.secure('site.test', {}, agent);
    const session = await stand.visitor.http2('site.test');
    await askHttp2(session, 'site.test');
    const silent = await stand.visitor.handshake('site.test');
    const nameless = await stand.visitor.tcp();
    const ended = [once(session, 'close'), once(silent.resume(), 'close'), once(nameless.resume(), 'close')];

    const startedAtMs = performance.now();
    await stand.edge.stop();
    await Promise.all(ended);
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
    expect(stand.api.deregistered).toEqual([stand.api.acks[0]?.edgeId]);
  });

  it('lets a download under way end', async () => {
    const socket = await stand.visitor.handshake('site.test');
    const chunks: Uint8Array[] = [];
    socket.write('GET /large.bin HTTP/1.1\r\nHost: site.test\r\n\r\n');
    await once(socket, 'readable', { signal: AbortSignal.timeout(5_000) });
    const stopped = stand.edge.stop();
    socket.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    await once(socket, 'close', { signal: AbortSignal.timeout(5_000) });
    await stopped;
    expect(Buffer.concat(chunks).length).toBeGreaterThan(3_000_000);
  });

  it('cuts a client that does not read, in less than 9 s', async () => {
    const socket = await stand.visitor.handshake('site.test');
    socket.on('error', () => undefined);
    await stand.deploy({ 'huge.bin': 'x'.repeat(30_000_000) });
    socket.write('GET /huge.bin HTTP/1.1\r\nHost: site.test\r\n\r\n');
    await once(socket, 'readable', { signal: AbortSignal.timeout(5_000) }); // and never reads on
    const startedAtMs = performance.now();
    await stand.edge.stop();
    const tookMs = performance.now() - startedAtMs;
    expect(tookMs).toBeGreaterThan(3_000);
    expect(tookMs).toBeLessThan(9_000);
  }, 15_000);

  it('refuses new connections at once', async () => {
    const stopped = stand.edge.stop();
    await expect(stand.visitor.handshake('site.test')).rejects.toThrow();
    await stopped;
  });
});
