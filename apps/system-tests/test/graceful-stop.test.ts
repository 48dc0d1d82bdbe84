/** Each process between SIGTERM and its end: it is not ready, closes its connections, finishes its work, and exits with 0. */
import { once } from 'node:events';
import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as TlsAgent, request as askTls } from 'node:https';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { StackEdge, StackProcess } from '@pets/lab';
import { describeWhen, waitUntil } from '@pets/testing';
import { dumpRedis } from './redis-contents.js';
import {
  missingForReplicas,
  portOf,
  startAgain,
  startReplicas,
  type ReplicasFixture,
} from './replicas/replicas-fixture.js';
import { goLiveOn } from './replicas/steps.js';
import { addDomain, at, getDomain, SITE } from './domain-steps.js';

jest.setTimeout(120_000);

const STOP_LIMIT_MS = 10_000;
/** Requests that do not end are given so long. */
const DRAIN_MS = 4_000;
const NAME = 'slow.example.com';

describeWhen(describe, 'a process that receives SIGTERM', missingForReplicas(), () => {
  let fixture: ReplicasFixture;
  let edge: StackEdge;
  let worker: StackProcess;

  beforeAll(async () => {
    fixture = await startReplicas({ apis: 1, workers: 1, edges: 1 });
    [edge, worker] = [one(fixture.edges), one(fixture.workers)];
    await goLiveOn(fixture, SITE);
  });
  afterAll(() => fixture?.close());

  it('of the edge answers open connections, announces their end, and does not wait for silent ones', async () => {
    const tls = { servername: SITE, ca: fixture.ca.authority.rootCertificatePem };
    const target = { ...tls, port: edge.httpsPort, headers: { host: SITE } };
    const agent = new TlsAgent({ keepAlive: true, maxSockets: 1 });
    expect((await answerOf(askTls({ ...target, agent }))).connection).not.toBe('close');
    const silent = await hold(edge.httpPort, '');
    const stopped = edge.process.stop();
    await untilNotReady(edge.process);
    expect(await answerOf(askTls({ ...target, agent }))).toEqual({ status: 200, connection: 'close' });
    const { code, tookMs } = await stopped;
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(DRAIN_MS);
    await silent.closed;
    await startAgain(edge.process);
  });

  it('of the worker finishes its jobs, and what failed is retried later', async () => {
    const target = await addDomain(fixture, NAME);
    fixture.dns.fail({ name: NAME, rcode: 'TIMEOUT' });
    await fixture.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(fixture, NAME));
    const isUnderWay = async () =>
      (await dumpRedis(fixture.redisPort)).match(/bull:domain-(jobs|checks[a-z-]*):active list/) !== null;
    await waitUntil(isUnderWay, { message: 'a job under way' });
    const stopped = worker.stop();
    await untilNotReady(worker);
    const { code, tookMs } = await stopped;
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(STOP_LIMIT_MS);
    expect(await isUnderWay()).toBe(false);

    fixture.dns.heal(NAME);
    fixture.dns.put({ type: 'CNAME', name: NAME, data: `${target}.` });
    await startAgain(worker);
    const isLive = async () => (await getDomain(fixture, NAME)).state === 'live';
    await waitUntil(isLive, { timeoutMs: 60_000, intervalMs: 250, message: `${NAME} to go live` });
  });

  it('of pets-api answers open connections, ends streams cleanly, and aborts a request that hangs', async () => {
    const api = one(fixture.apis);
    const { url } = api;
    const port = portOf(url);
    const headers = { authorization: `Bearer ${fixture.apiKey}` };
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const list: RequestOptions = { port, path: '/v1/pets', headers };
    expect((await answerOf(request({ ...list, agent }))).connection).toBe('keep-alive');
    const stream = await fetch(`${url}/v1/projects/${fixture.projectId}/events`, {
      headers: { ...headers, accept: 'text/event-stream' },
    });
    const hanging = await hold(
      port,
      `POST /v1/pets HTTP/1.1\r\nHost: api\r\nAuthorization: ${headers.authorization}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
    );
    const stopped = api.stop();
    await untilNotReady(api);
    expect(await answerOf(request({ ...list, agent }))).toEqual({ status: 200, connection: 'close' });
    expect(await stream.text()).toContain('event: ready');
    const { code, tookMs } = await stopped;
    expect(code).toBe(0);
    expect(tookMs).toBeGreaterThan(DRAIN_MS - 500);
    expect(tookMs).toBeLessThan(STOP_LIMIT_MS);
    await hanging.closed;
  });

  // The moments are spread over the start: between them its parts are added to the server.
  it.each([100, 200, 300, 400, 600])('of pets-api that starts ends it first: after %d ms', async (delayMs) => {
    const api = one(fixture.apis);
    api.start();
    await waitUntil(() => api.lines.length > 0, { timeoutMs: 60_000, message: 'a first line' });
    await sleep(delayMs);
    const { code } = await api.stop();
    // Null before there is a handler of signals.
    expect([0, null]).toContain(code);
    expect(api.lines.filter((line) => /error|FST_ERR/i.test(line))).toEqual([]);
  });
});

async function untilNotReady({ url }: StackProcess): Promise<void> {
  const isStopping = async () => {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
    return response.status === 503 && (await response.text()).includes('stopping');
  };
  await waitUntil(isStopping, { timeoutMs: 900, intervalMs: 10, message: 'not to be ready' });
}

function one<T>(several: readonly T[]): T {
  const [first] = several;
  if (first === undefined) throw new Error('there is none');
  return first;
}

async function answerOf(asked: ReturnType<typeof request>) {
  asked.setTimeout(5_000, () => asked.destroy(new Error('no answer'))).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]; // what `response` brings
  answer.resume();
  await once(answer, 'end');
  return { status: answer.statusCode, connection: answer.headers.connection };
}

/** A connection on which no more is ever said than this. */
async function hold(port: number, text: string): Promise<{ readonly closed: Promise<unknown> }> {
  const socket: Socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined).resume();
  socket.write(text);
  return { closed: once(socket, 'close', { signal: AbortSignal.timeout(STOP_LIMIT_MS) }) };
}
