import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { waitUntil } from '@pets/testing';
import { EdgeFixture } from './edge-fixture.js';
import { EdgeProcesses, isAlive } from './edge-processes.js';

let fixture: EdgeFixture;
let edge: EdgeProcesses;

async function start(settings: Record<string, string> = {}): Promise<void> {
  edge = await fixture.startProcesses({ EDGE_PROCESSES: '2', ...settings });
  await fixture.publishSite('site.test');
}

beforeEach(async () => {
  fixture = await EdgeFixture.build();
});
afterEach(() => fixture.tearDown());

const visit = () => fixture.visitor.secure('site.test');
const visits = (count: number) => Promise.all(Array.from({ length: count }, visit));

describe('a serving process that is killed', () => {
  it.each(['1', '2'])('is replaced, and no waiting connection is lost, of %s processes', async (processes) => {
    await start({ EDGE_PROCESSES: processes });
    const killed = edge.servingPids();
    expect(killed).toHaveLength(Number(processes));
    for (const pid of killed) process.kill(pid, 'SIGSTOP'); // so that connections wait in the queue of the socket
    const waiting = visits(20);
    await waitUntil(() => edge.queuedConnections() === 20, { message: 'all connections wait' });
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    expect((await waiting).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    await edge.ready();
    expect(edge.servingPids().some((pid) => killed.includes(pid))).toBe(false);
    expect(await edge.count('edge_process_restarts_total')).toBe(killed.length);
  });

  it('makes the edge unready until it is replaced, and leaves its counts in the metrics', async () => {
    await start();
    await visits(40);
    expect(await edge.count('edge_requests_total{status="2xx",protocol="http/1.1"}')).toBe(40);
    expect(await edge.count('edge_processes')).toBe(2);
    const [killed = 0] = edge.servingPids();
    process.kill(killed, 'SIGKILL');
    await waitUntil(async () => (await edge.health('/readyz')).text === 'not ready: listeners\n', {
      message: 'the edge is not ready',
      intervalMs: 1,
    });
    await edge.ready();
    expect(await edge.count('edge_requests_total{status="2xx",protocol="http/1.1"}')).toBe(40);
    expect((await visit()).status).toBe(200);
  });
});

describe('the feed process', () => {
  it('ends all processes with it when it is killed, so that another one can take its place', async () => {
    await start();
    const serving = edge.servingPids();
    await edge.stop('SIGKILL');
    const again = await fixture.startProcesses({ EDGE_PROCESSES: '2' }, edge.ports);
    expect(serving.filter(isAlive)).toEqual([]);
    expect(again.servingPids()).toHaveLength(2);
    expect((await visit()).status).toBe(200);
  });

  it('reports that it is not ready, drains all processes and deregisters when it is stopped', async () => {
    await start();
    const serving = edge.servingPids();
    const agent = fixture.visitor.keepAliveAgent();
    await fixture.visitor.secure('site.test', {}, agent);
    const stopped = edge.stop();
    for (const pid of serving) process.kill(pid, 'SIGTERM'); // as a terminal does, which signals all
    await waitUntil(async () => (await edge.health('/readyz')).status === 503, { message: 'not ready', intervalMs: 1 });
    const last = await fixture.visitor.secure('site.test', {}, agent);
    expect(last).toMatchObject({ status: 200, headers: { connection: 'close' } });
    expect(await stopped).toBe(0);
    expect(serving.filter(isAlive)).toEqual([]);
    expect(fixture.api.deregistered).toHaveLength(1);
  });

  it('accepts connections for EDGE_DRAIN_SECONDS after it has reported that it is not ready', async () => {
    await start({ EDGE_DRAIN_SECONDS: '5' });
    const stopped = edge.stop();
    await waitUntil(async () => (await edge.health('/readyz')).status === 503, { message: 'not ready', intervalMs: 1 });
    expect((await visit()).status).toBe(200);
    expect(await stopped).toBe(0);
  });

  it('lets a download in progress end when it is stopped', async () => {
    await start();
    const socket = await fixture.visitor.handshake('site.test');
    const chunks: Uint8Array[] = [];
    socket.write('GET /large.bin HTTP/1.1\r\nHost: site.test\r\n\r\n');
    await once(socket, 'readable', { signal: AbortSignal.timeout(30_000) });
    const stopped = edge.stop();
    socket.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    await once(socket, 'close', { signal: AbortSignal.timeout(30_000) });
    expect(await stopped).toBe(0);
    expect(Buffer.concat(chunks).length).toBeGreaterThan(3_000_000);
  });
});

it('ends the lease of every process when the API is away for too long', async () => {
  await start({ EDGE_MAX_STALENESS: '0' });
  const sockets = await Promise.all(Array.from({ length: 12 }, () => fixture.visitor.handshake('site.test')));
  const closed = Promise.all(sockets.map((socket) => once(socket.on('error', () => undefined).resume(), 'close')));
  await fixture.api.down();
  const lostAtMs = performance.now();
  await closed;
  expect(performance.now() - lostAtMs).toBeLessThan(6_000);
  await expect(visit()).rejects.toThrow('unrecognized name');
});

it('writes whole lines to one access log', async () => {
  await start({ LOG_LEVEL: 'info' });
  const path = `/${'x'.repeat(700)}`;
  for (let round = 0; round < 10; round++)
    await Promise.all(Array.from({ length: 40 }, () => fixture.visitor.secure('site.test', { path })));
  await edge.stop();
  const parsed = edge.lines.map((line) => JSON.parse(line) as { msg: string });
  expect(parsed.filter(({ msg }) => msg === 'request')).toHaveLength(400);
});
