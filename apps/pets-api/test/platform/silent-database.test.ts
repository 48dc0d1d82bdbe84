import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ApiError } from '@pets/contracts';
import { startTcpProxy, waitUntil, type TcpProxy } from '@pets/testing';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import type { ApiReplica } from '../harness.js';

/** The longest wait of an owner while PostgreSQL does not answer, with a margin for a slow machine. */
const LIMIT_MS = 2_000;
const SLACK_MS = 500;

let fixture: DomainFixture;
let proxy: TcpProxy;
/** Reaches its database through the proxy. */
let replica: ApiReplica;

beforeAll(async () => {
  fixture = await startDomainFixture();
  const url = new URL(fixture.api.databaseUrl);
  proxy = await startTcpProxy({ port: Number(url.port) });
  url.port = String(proxy.port);
  replica = await fixture.api.startReplica({ DATABASE_URL: url.href });
});
afterAll(async () => {
  proxy.heal();
  await fixture.close();
  await proxy.close();
});

it('a request fails in time while PostgreSQL does not respond, and succeeds afterwards', async () => {
  const { id } = await fixture.add(fixture.freshName());
  const requests = [
    ['POST', `${fixture.path()}/${id}/verify`],
    ['GET', `${fixture.path()}/${id}`],
    ['GET', '/v1/pets'],
    ['POST', '/v1/pets'],
  ] as const;
  const ask = ([method, path]: (typeof requests)[number]) =>
    replica.request<ApiError>(method, path, {
      key: fixture.key,
      ...(path === '/v1/pets' && method === 'POST' && { body: { name: 'Rex', categoryId: 1 } }),
    });
  const askAll = async () => (await Promise.all(requests.map(ask))).map(({ status }) => status);
  expect(await askAll()).toEqual([202, 200, 200, 201]);

  proxy.silence();
  for (let round = 0; round < 2; round++) {
    const began = Date.now();
    expect(await askAll()).toEqual([503, 503, 503, 503]);
    expect(Date.now() - began).toBeLessThan(LIMIT_MS + SLACK_MS);
  }

  proxy.heal();
  await waitUntil(async () => (await askAll()).join() === '202,200,200,201', {
    message: 'the database to be used again',
  });
});
