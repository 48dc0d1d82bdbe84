import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { siteRoute, EdgeFixture } from './edge-fixture.js';

/** Large compressed responses that are in memory, for clients that read slowly. */
let fixture: EdgeFixture;
const READERS = 60;
const HASH = '1a49e';
const MIB = 1024 * 1024;

beforeAll(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge({ EDGE_HANDSHAKES_PER_ADDRESS: '0' });
  // Compresses to about 3 MB.
  await fixture.deploy({ 'app.js': randomBytes(3_000_000).toString('base64') }, HASH);
  await fixture.issue('large', 'large.test');
  await fixture.api.publishAndSettle({ 'large.test': siteRoute('large', HASH) });
});
afterAll(() => fixture.tearDown());

describe('a large response in memory', () => {
  it('is not copied for each client', async () => {
    const path = '/app.js';
    const { bytes } = await fixture.visitor.secure('large.test', { path, headers: { 'accept-encoding': 'gzip' } });
    expect(bytes.length).toBeGreaterThan(2 * MIB);
    const before = process.memoryUsage.rss();
    const openReader = async () => {
      const socket = await fixture.visitor.handshake('large.test');
      socket.on('error', () => undefined);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: large.test\r\nAccept-Encoding: gzip\r\n\r\n`);
      await once(socket, 'readable');
      return socket; // reads nothing from here on
    };
    const sockets = await Promise.all(Array.from({ length: READERS }, openReader));
    await waitUntil(async () => (await fixture.count('edge_unsent_bytes')) > 0, { message: 'clients stop reading' });
    expect(process.memoryUsage.rss() - before).toBeLessThan(READERS * MIB);
    expect(await fixture.count('edge_unsent_bytes')).toBeLessThan(READERS * 64 * 1024);
    for (const socket of sockets) socket.destroy();
    await waitUntil(async () => (await fixture.count('edge_unsent_bytes')) === 0, { message: 'nothing is unsent' });
  });
});
