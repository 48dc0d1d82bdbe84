import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { DomainNews } from '../src/domains/domain-news.js';

const OURS = '0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f';
const ANOTHER = '5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2';
/** Nothing takes so long: who waits longer was not woken. */
const LONG_MS = 20_000;
const SHORT_MS = 50;
let server: Server | undefined;
let news: DomainNews | undefined;

afterEach(() => {
  news?.close();
  server?.closeAllConnections();
  server?.close();
});

/** A project's event stream that says what the test has it say, or the refusal of one. */
async function follow(status: number): Promise<{ news: DomainNews; stream: ServerResponse }> {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on a port
  const asked = once(server, 'request') as Promise<[unknown, ServerResponse]>; // as its types have it
  news = new DomainNews({ apiUrl: `http://127.0.0.1:${port}`, apiKey: 'key' }, 'project');
  news.domainId = OURS;
  const [, stream] = await asked;
  stream.writeHead(status, { 'content-type': status === 200 ? 'text/event-stream' : 'application/json' });
  stream.flushHeaders();
  return { news, stream };
}

async function msUntilWoken(waiting: DomainNews, limitMs: number): Promise<number> {
  const began = performance.now();
  await waiting.wait(limitMs);
  return performance.now() - began;
}

describe('DomainNews', () => {
  it('wakes who waits when the stream opens, and when it tells of the domain', async () => {
    const { news: following, stream } = await follow(200);
    stream.write('event: ready\ndata: {"number":1}\n\n');
    expect(await msUntilWoken(following, LONG_MS)).toBeLessThan(LONG_MS / 2);
    expect(following.isOpen).toBe(true);
    stream.write(`event: changed\ndata: {"domainId":"${OURS}"}\n\n`);
    expect(await msUntilWoken(following, LONG_MS)).toBeLessThan(LONG_MS / 2);
  });

  it('keeps what came while nobody waited', async () => {
    const { news: following, stream } = await follow(200);
    stream.write('event: ready\ndata: {"number":1}\n\n');
    await waitUntil(async () => following.isOpen, { timeoutMs: 5_000, message: 'the stream to open' });
    expect(await msUntilWoken(following, LONG_MS)).toBeLessThan(LONG_MS / 2);
  });

  it('says nothing of other domains', async () => {
    const { news: following, stream } = await follow(200);
    stream.write(`event: ready\ndata: {"number":1}\n\n`);
    await following.wait(LONG_MS);
    stream.write(`event: changed\ndata: {"domainId":"${ANOTHER}"}\n\n`);
    expect(await msUntilWoken(following, SHORT_MS)).toBeGreaterThanOrEqual(SHORT_MS - 1);
  });

  it('leaves it to the clock where the stream is refused', async () => {
    const { news: following, stream } = await follow(406);
    stream.end('{"code":"not_acceptable","message":"No streams here.","status":406}');
    expect(await msUntilWoken(following, SHORT_MS)).toBeGreaterThanOrEqual(SHORT_MS - 1);
    expect(following.isOpen).toBe(false);
  });

  it('is not open any more once the connection has broken', async () => {
    const { news: following, stream } = await follow(200);
    stream.write('event: ready\ndata: {"number":1}\n\n');
    await following.wait(LONG_MS);
    stream.destroy();
    await waitUntil(async () => !following.isOpen, { timeoutMs: 10_000, message: 'the break to be noticed' });
  });
});
