import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { DomainChanges } from '../src/domains/watch-domain.js';

const OURS = '0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f';
const ANOTHER = '5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2';
/** A wait this long means that no event came. */
const LONG_MS = 20_000;
const SHORT_MS = 50;
let server: Server | undefined;
let changes: DomainChanges | undefined;

afterEach(() => {
  changes?.close();
  server?.closeAllConnections();
  server?.close();
});

/** Follows an event stream that the test writes, or a refused one. */
async function follow(status: number): Promise<{ changes: DomainChanges; stream: ServerResponse }> {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on a port
  const requested = once(server, 'request') as Promise<[unknown, ServerResponse]>; // as its types have it
  changes = new DomainChanges({ apiUrl: `http://127.0.0.1:${port}`, apiKey: 'key' }, 'project');
  changes.domainId = OURS;
  const [, stream] = await requested;
  stream.writeHead(status, { 'content-type': status === 200 ? 'text/event-stream' : 'application/json' });
  stream.flushHeaders();
  return { changes, stream };
}

async function waitedMs(waiting: DomainChanges, timeoutMs: number): Promise<number> {
  const began = performance.now();
  await waiting.wait(timeoutMs);
  return performance.now() - began;
}

describe('DomainChanges', () => {
  it('ends a wait when the stream opens, and at an event of the domain', async () => {
    const { changes: following, stream } = await follow(200);
    stream.write('event: ready\ndata: {"number":1}\n\n');
    expect(await waitedMs(following, LONG_MS)).toBeLessThan(LONG_MS / 2);
    expect(following.isOpen).toBe(true);
    stream.write(`event: changed\ndata: {"domainId":"${OURS}"}\n\n`);
    expect(await waitedMs(following, LONG_MS)).toBeLessThan(LONG_MS / 2);
  });

  it('remembers an event until the next wait', async () => {
    const { changes: following, stream } = await follow(200);
    stream.write('event: ready\ndata: {"number":1}\n\n');
    await waitUntil(async () => following.isOpen, { message: 'the stream to open' });
    expect(await waitedMs(following, LONG_MS)).toBeLessThan(LONG_MS / 2);
  });

  it('ignores events of other domains', async () => {
    const { changes: following, stream } = await follow(200);
    stream.write(`event: ready\ndata: {"number":1}\n\n`);
    await following.wait(LONG_MS);
    stream.write(`event: changed\ndata: {"domainId":"${ANOTHER}"}\n\n`);
    expect(await waitedMs(following, SHORT_MS)).toBeGreaterThanOrEqual(SHORT_MS - 1);
  });

  it('waits for the timeout when the stream is refused', async () => {
    const { changes: following, stream } = await follow(406);
    stream.end('{"code":"not_acceptable","message":"No streams here.","status":406}');
    expect(await waitedMs(following, SHORT_MS)).toBeGreaterThanOrEqual(SHORT_MS - 1);
    expect(following.isOpen).toBe(false);
  });

  it('is not open after the connection breaks', async () => {
    const { changes: following, stream } = await follow(200);
    stream.write('event: ready\ndata: {"number":1}\n\n');
    await following.wait(LONG_MS);
    stream.destroy();
    await waitUntil(async () => !following.isOpen, {
      message: 'the broken connection to be detected',
    });
  });
});
