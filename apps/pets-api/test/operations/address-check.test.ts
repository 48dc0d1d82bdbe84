/** `admin check` requests a value that only our edges can know at each public address. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@pets/testing';
import { sql } from 'kysely';
import { findAddressFaults } from '../../src/operations/admin/address-findings.js';
import type { Finding } from '../../src/operations/admin/command.js';
import { EdgeFeedRepository } from '../../src/edge/edge-feed.repository.js';
import { startTestApi, type TestApi } from '../harness.js';

const config = { ENVIRONMENT: 'production', PLATFORM_DOMAIN: 'pets.localhost' } as const;
const HERE = '127.0.0.1';
let api: TestApi;
let port: number;
const servers: Server[] = [];

beforeAll(async () => {
  api = await startTestApi();
  port = await freePort();
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await sql`delete from public_addresses`.execute(api.db);
  await sql`delete from edges`.execute(api.db);
});
afterAll(() => api.close());

const list = (address: string, since: Date | null = null) =>
  sql`insert into public_addresses (address, retiring_since) values (${address}::inet, ${since})`.execute(api.db);

/** Answers by the routes of the feed, as an edge does. */
async function serveAsEdge(isOurs: boolean): Promise<void> {
  const feed = new EdgeFeedRepository(api.db);
  const server = createServer((request, response) => {
    void feed.routeOf(request.headers.host ?? '').then((route) => {
      const token = request.url?.split('/').at(-1) ?? '';
      response.statusCode = route?.answersChallenges === true || !isOurs ? 200 : 404;
      response.end(isOurs ? `${token}.${route?.challengeThumbprint}` : 'welcome to another site');
    });
  });
  server.listen(port, HERE);
  await once(server, 'listening');
  servers.push(server);
}

const check = (answered: readonly string[] | Error = [HERE]) =>
  findAddressFaults(
    { db: api.db, config },
    { port, resolve: () => (answered instanceof Error ? Promise.reject(answered) : Promise.resolve(answered)) },
  );
const textsOf = (findings: readonly Finding[]) => findings.map(({ severity, problem }) => `${severity} ${problem}`);
const routesOfChecks = async () =>
  (
    await sql<{
      host: string;
    }>`select host from edge_routes where host like 'address-check-%' and route is not null`.execute(api.db)
  ).rows;

describe('admin check of public addresses', () => {
  it('warns where none are listed, but not in development', async () => {
    expect(textsOf(await check())).toEqual([expect.stringContaining('warning No public addresses are listed')]);
    const development = { db: api.db, config: { ...config, ENVIRONMENT: 'development' as const } };
    expect(await findAddressFaults(development)).toEqual([]);
  });

  it('does not try requests while there is no project', async () => {
    await list(HERE);
    expect(textsOf(await check())).toEqual([expect.stringContaining('warning There is no project yet')]);
  });

  describe('with a project', () => {
    beforeAll(async () => {
      const { key } = await api.createOrganization('pro');
      await api.request('POST', '/v1/projects', { key, body: { name: 'P', slug: 'addresses' } });
    });

    it('finds nothing where our edges answer, and leaves no route behind', async () => {
      await list(HERE);
      await serveAsEdge(true);
      expect(await check()).toEqual([]);
      expect(await routesOfChecks()).toEqual([]);
    });

    it('finds an address that does not answer, and one where somebody else answers', async () => {
      await list(HERE);
      expect(textsOf(await check())).toEqual([expect.stringContaining(`error ${HERE} does not answer: ECONNREFUSED`)]);
      await serveAsEdge(false);
      expect(textsOf(await check())).toEqual([expect.stringContaining(`error ${HERE} answers with another text`)]);
      expect(await routesOfChecks()).toEqual([]);
    });

    it('compares the list with the answers of resolvers', async () => {
      await list(HERE);
      await list('127.0.0.9', new Date());
      await serveAsEdge(true);
      expect(textsOf(await check(['185.199.108.1', '127.0.0.9']))).toEqual([
        expect.stringContaining('warning 127.0.0.9 does not answer: ECONNREFUSED. It is retiring'),
        expect.stringContaining('error Resolvers return 185.199.108.1 for CNAME targets, and it is not listed'),
        expect.stringContaining(`warning Resolvers do not return ${HERE}`),
        expect.stringContaining('warning Resolvers return 127.0.0.9 for CNAME targets, and it is retiring'),
      ]);
      expect(textsOf(await check(new Error('SERVFAIL'))).at(-1)).toContain('could not be resolved');
    });

    it('compares the list with the public addresses of edges', async () => {
      await list(HERE);
      await serveAsEdge(true);
      const { epoch, version } = await new EdgeFeedRepository(api.db).head();
      for (const [id, address] of [
        ['edge-1', '185.199.108.7'],
        ['edge-2', '10.0.0.1'],
      ] as const)
        await sql`insert into edges (id, epoch, acked_version, http_address, https_address, last_contact_at, session_id)
          values (${id}, ${epoch}, ${version + 1_000}, ${`${address}:80`}, ${`${address}:443`}, now(), gen_random_uuid())`.execute(
          api.db,
        );
      expect(textsOf(await check())).toEqual([
        'warning The edge edge-1 has the address 185.199.108.7, which is not listed.',
      ]);
    });
  });
});
