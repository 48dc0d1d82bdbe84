import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@pets/testing';
import { EdgeFixture } from './edge-fixture.js';
import { isAlive, type EdgeProcesses } from './edge-processes.js';
import { askHttp2, type Reply } from './visitor.js';

const CONNECTIONS = 8;
/** Visitors without a pause would take the processor from the edge. */
const ASK_EVERY_MS = 10;

let fixture: EdgeFixture;
let edge: EdgeProcesses;

beforeEach(async () => {
  fixture = await EdgeFixture.build();
  edge = await fixture.startProcesses({ EDGE_PROCESSES: '2', LOG_LEVEL: 'info', EDGE_ACCESS_LOG: 'false' });
  await fixture.publishSite('kept.test');
  await fixture.publishSite('gone.test');
});
afterEach(() => fixture.tearDown());

/** Visitors of both protocols who ask again and again on open connections, of which each process has some. */
async function gather(host: string) {
  const before = edge.servingPids().map((pid) => edge.socketsOf(pid));
  const sessions = await Promise.all(Array.from({ length: CONNECTIONS }, () => fixture.visitor.http2(host)));
  const agents = Array.from({ length: CONNECTIONS }, () => fixture.visitor.keepAliveAgent());
  const asks: (() => Promise<Reply>)[] = [
    ...sessions.map((session) => () => askHttp2(session, host)),
    ...agents.map((agent) => () => fixture.visitor.secure(host, {}, agent)),
  ];
  const statuses = await Promise.all(asks.map((ask) => ask().then(({ status }) => status)));
  expect(new Set(statuses)).toEqual(new Set([200]));
  edge.servingPids().forEach((pid, index) => expect(edge.socketsOf(pid)).toBeGreaterThan(before[index] ?? 0));
  return asks;
}

/** @returns stops asking, and resolves to the answers to questions that were asked after the given time */
function askOnAndOn(asks: readonly (() => Promise<Reply>)[]) {
  const answers: { atMs: number; status: number }[] = [];
  const state = { isAsking: true };
  const asking = asks.map(async (ask) => {
    while (state.isAsking) {
      const atMs = performance.now();
      const status = await ask().then(
        (reply) => reply.status,
        () => 0,
      );
      answers.push({ atMs, status });
      await sleep(ASK_EVERY_MS);
    }
  });
  return async (sinceMs: number) => {
    const since = () => answers.filter(({ atMs }) => atMs > sinceMs);
    await waitUntil(() => since().length > 5 * asks.length, { message: 'visitors have asked again' });
    state.isAsking = false;
    await Promise.all(asking);
    return since().map(({ status }) => status);
  };
}

const remove = () => fixture.api.publishAndSettle({ 'gone.test': null });

describe('an edge of two processes that has acknowledged a removal', () => {
  it('sends no content of the host, on connections of any process', async () => {
    const finish = askOnAndOn(await gather('gone.test'));
    await remove();
    const removedAtMs = performance.now();
    expect(new Set(await finish(removedAtMs))).toEqual(new Set([0]));
  });

  it('continues to serve other hosts on their open connections', async () => {
    const asks = await gather('kept.test');
    await remove();
    const statuses = await Promise.all(asks.map((ask) => ask().then(({ status }) => status)));
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('sends none of the names that only a removed wildcard covered, and continues to serve the others', async () => {
    await fixture.publishSite('*.wild.test', 'wildcard');
    await fixture.publishSite('exact.wild.test');
    const finish = askOnAndOn([...(await gather('a.wild.test')), ...(await gather('b.wild.test'))]);
    const kept = askOnAndOn(await gather('exact.wild.test'));
    await fixture.api.publishAndSettle({ '*.wild.test': null });
    const removedAtMs = performance.now();
    expect(new Set(await finish(removedAtMs))).toEqual(new Set([0]));
    expect(new Set(await kept(0))).toEqual(new Set([200]));
  });

  it('sends none either when one process is killed meanwhile', async () => {
    const [killed = 0] = edge.servingPids();
    const finish = askOnAndOn(await gather('gone.test'));
    const removed = remove();
    process.kill(killed, 'SIGKILL');
    await removed;
    const removedAtMs = performance.now();
    expect(new Set(await finish(removedAtMs))).toEqual(new Set([0]));
    await edge.ready();
    await expect(fixture.visitor.handshake('gone.test')).rejects.toThrow('unrecognized name');
  });

  it('has killed a process that did not answer for 10 s', async () => {
    const asks = await gather('gone.test');
    const [stopped = 0] = edge.servingPids();
    process.kill(stopped, 'SIGSTOP');
    const version = fixture.api.publish({ 'gone.test': null });
    const publishedAtMs = performance.now();
    const isAcknowledged = () => fixture.api.hasAcknowledged(version);
    await waitUntil(isAcknowledged, { timeoutMs: 20_000, message: 'the removal is acknowledged' });
    expect(performance.now() - publishedAtMs).toBeGreaterThan(8_000);
    expect(isAlive(stopped)).toBe(false);
    const statuses = await Promise.all(
      asks.map((ask) =>
        ask().then(
          ({ status }) => status,
          () => 0,
        ),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([0]));
    await edge.ready();
    expect((await fixture.visitor.secure('kept.test')).status).toBe(200);
  });
});
