import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { originRow, type EdgeOrigin, type OriginOpinion } from '@pets/contracts/edge-feed';
import { freePort, waitUntil } from '@pets/testing';
import { makeCertificate } from './certificates.js';
import { EdgeFixture } from './edge-fixture.js';
import {
  applicationRoute,
  buildForwardingFixture,
  endingOrigins,
  originRoute,
  serveApplication,
  TestOrigin,
} from './forwarding-fixture.js';

const LIMIT = { timeoutMs: 40_000 };
/** Acknowledgements come more often with it. */
const settings = { EDGE_MAX_STALENESS: '4' };

const saidAbout = (fixture: EdgeFixture, id: string): readonly OriginOpinion['failure'][] =>
  fixture.api.acks.flatMap(({ originHealth = [] }) =>
    originHealth.filter(({ origin }) => origin === id).map(({ failure }) => failure),
  );

async function opinionOf(fixture: EdgeFixture, id: string, code: string | undefined): Promise<void> {
  const latest = () => saidAbout(fixture, id).at(-1);
  const message = `the edge says ${code ?? 'that it connects'} about ${id}`;
  await waitUntil(() => latest() !== undefined && latest()?.code === code, { ...LIMIT, message });
}

/** Visitors who ask until the edge has noticed: each fails, and no more than three are needed. */
async function visit(fixture: EdgeFixture, host: string, requests = 3): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < requests; count++) statuses.push((await fixture.visitor.secure(host)).status);
  return statuses;
}

async function listenAt(port: number): Promise<Server> {
  const server = createServer((_request, response) => response.end('here'));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('an edge', () => {
  let fixture: EdgeFixture;
  const ending = endingOrigins();

  beforeAll(async () => {
    fixture = await buildForwardingFixture(settings);
  });
  afterAll(() => fixture.tearDown());

  const failing = () => fixture.count('edge_origins_failing');

  it('says that no connection can be opened, and that one can be again, without visitors', async () => {
    const [host, port] = ['closed.pets.test', await freePort()];
    await serveApplication(fixture, host, `http://127.0.0.1:${port}`);
    expect(await visit(fixture, host)).toEqual([502, 502, 502]);
    await opinionOf(fixture, `of-${host}`, 'connection');
    expect(saidAbout(fixture, `of-${host}`)).toEqual([
      { code: 'connection', detail: expect.stringContaining('ECONNREFUSED') },
    ]);
    expect(await failing()).toBe(1);
    const server = await listenAt(port);
    await opinionOf(fixture, `of-${host}`, undefined);
    expect(await failing()).toBe(0);
    server.close();
  }, 60_000);

  it.each<[reason: string, code: string, url: () => Promise<string>]>([
    ['its name has no address', 'dns', async () => 'http://no-such-name.invalid'],
    [
      'its certificate is of another name',
      'certificate',
      async () => {
        const secure = await TestOrigin.http(
          (_request, response) => response.end(),
          await makeCertificate('else.test'),
        );
        ending.push(secure);
        return `https://127.0.0.1:${secure.port}`;
      },
    ],
    [
      'it does not speak TLS',
      'connection',
      async () => {
        const plain = await TestOrigin.raw(
          (socket) => void socket.once('data', () => socket.end('HTTP/1.1 400 Bad\r\n\r\n')),
        );
        ending.push(plain);
        return `https://127.0.0.1:${plain.port}`;
      },
    ],
  ])(
    'says why: %s',
    async (_reason, code, url) => {
      const host = `${code}-${_reason.length}.pets.test`;
      await serveApplication(fixture, host, await url());
      await visit(fixture, host);
      await opinionOf(fixture, `of-${host}`, code);
      await fixture.api.publishAndSettle({ [originRow(`of-${host}`)]: null, [host]: null });
      expect(await failing()).toBe(0);
    },
    60_000,
  );

  it('has an opinion without visitors where the API asks', async () => {
    const app = await TestOrigin.http((_request, response) => response.end());
    ending.push(app);
    await serveApplication(fixture, 'asked.pets.test', app.url);
    await serveApplication(fixture, 'down.pets.test', `http://127.0.0.1:${await freePort()}`);
    fixture.api.askedOrigins = ['of-asked.pets.test', 'of-down.pets.test', 'unknown'];
    await waitUntil(() => saidAbout(fixture, 'of-asked.pets.test').length > 0, LIMIT);
    await opinionOf(fixture, 'of-down.pets.test', 'connection');
    expect(saidAbout(fixture, 'of-asked.pets.test')).toEqual([null]);
    expect(app.requests).toEqual([]);
    fixture.api.askedOrigins = undefined;
  }, 90_000);

  it('says nothing about errors, slow answers and answers that are not valid', async () => {
    const slow: Partial<EdgeOrigin> = { timeouts: { connect: 1, answer: 1, idle: 1 } };
    const apps = {
      'errors.pets.test': await TestOrigin.http((_request, response) => response.writeHead(503).end()),
      'slow.pets.test': await TestOrigin.raw(() => undefined),
      'invalid.pets.test': await TestOrigin.raw((socket) => void socket.once('data', () => socket.end('nonsense'))),
    };
    ending.push(...Object.values(apps));
    for (const [host, app] of Object.entries(apps)) await serveApplication(fixture, host, app.url, slow);
    for (const host of Object.keys(apps))
      expect((await visit(fixture, host, 4)).every((status) => status >= 500)).toBe(true);
    // What is said about another one would come after what there was to say about these.
    const barrier = 'barrier.pets.test';
    await serveApplication(fixture, barrier, `http://127.0.0.1:${await freePort()}`);
    await visit(fixture, barrier);
    await opinionOf(fixture, `of-${barrier}`, 'connection');
    for (const host of Object.keys(apps)) expect(saidAbout(fixture, `of-${host}`)).toEqual([]);
  }, 60_000);

  it('begins again with an origin that has changed', async () => {
    const host = 'moved.pets.test';
    const app = await TestOrigin.http((_request, response) => response.end());
    ending.push(app);
    await serveApplication(fixture, host, `http://127.0.0.1:${await freePort()}`);
    await visit(fixture, host);
    await opinionOf(fixture, `of-${host}`, 'connection');
    await fixture.api.publishAndSettle({ [originRow(`of-${host}`)]: originRoute(app.url) });
    await opinionOf(fixture, `of-${host}`, undefined);
  }, 60_000);
});

it('an edge of several processes has one opinion', async () => {
  const fixture = await EdgeFixture.build();
  await fixture.startProcesses({ ...settings, EDGE_PROCESSES: '2', EDGE_ALLOW_PRIVATE_ORIGINS: 'true' });
  const [host, port] = ['shared.pets.test', await freePort()];
  await fixture.api.publishAndSettle({
    [originRow('shared')]: originRoute(`http://127.0.0.1:${port}`),
    [host]: applicationRoute('shared'),
  });
  const visitors = Array.from({ length: 12 }, () => fixture.visitor.secure(host));
  expect((await Promise.all(visitors)).map(({ status }) => status)).toEqual(visitors.map(() => 502));
  await opinionOf(fixture, 'shared', 'connection');
  expect(saidAbout(fixture, 'shared')).toHaveLength(1);
  const server = await listenAt(port);
  await opinionOf(fixture, 'shared', undefined);
  expect(saidAbout(fixture, 'shared')).toHaveLength(2);
  server.close();
  await fixture.tearDown();
}, 90_000);
