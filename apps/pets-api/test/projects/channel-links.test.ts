/** Links of protected channels: who may create and end them, and what the routes then say. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type {
  ApiError,
  Channel,
  CreatedChannelLink,
  Deployment,
  EdgeRoute,
  Explanation,
  Project,
} from '@pets/contracts';
import { isSignedWith, parseLinkToken } from '@pets/sites';
import { sql } from 'kysely';
import { acknowledge } from '../edge/feed-steps.js';
import { startTestApi, type TestApi } from '../harness.js';
import { makeBundle } from './bundles.js';

const DAY_SECONDS = 86_400;

let api: TestApi;
let key: string;

beforeAll(async () => {
  api = await startTestApi();
  ({ key } = await api.createOrganization('pro'));
});
beforeEach(async () => void (await api.db.deleteFrom('edges').execute()));
afterAll(() => api.close());

let count = 0;

/** A project with the public channel `beta`. */
async function openSite() {
  const slug = `protected-${(count += 1)}`;
  const { body: project } = await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'Docs', slug } });
  const path = `/v1/projects/${project.id}`;
  const deploy = <Body = Deployment>(query: string) =>
    api.request<Body>('POST', `${path}/deployments?${query}`, {
      key,
      body: makeBundle([{ path: 'index.html', content: 'preview' }]),
      headers: { 'content-type': 'application/gzip' },
    });
  await deploy('channel=beta');
  const send =
    (method: string, suffix: string) =>
    <Body = ApiError>(body?: object, as = key) =>
      api.request<Body>(method, `${path}/channels/beta${suffix}`, { key: as, ...(body && { body }) });
  return {
    path,
    deploy,
    put: send('PUT', ''),
    get: send('GET', ''),
    link: send('POST', '/links'),
    end: send('DELETE', '/links'),
    keyOf: (channel = 'beta') => linkKeyOf(`${channel}--${slug}.pets.localhost`),
    host: `beta--${slug}.pets.localhost`,
  };
}

/** The public key in the published route; undefined for a site that everybody may read. */
async function linkKeyOf(host: string): Promise<string | undefined> {
  const { rows } = await sql<{ route: EdgeRoute | null }>`
    select route from edge_routes where host = ${host}`.execute(api.db);
  const serve = rows[0]?.route?.serve;
  if (serve?.kind !== 'site') throw new Error(`${host} serves no site`);
  return serve.linkKey;
}

function tokenOf({ url }: CreatedChannelLink) {
  const token = parseLinkToken(new URL(url).searchParams.get('__preview') ?? '');
  if (token === undefined) throw new Error(`${url} has no token`);
  return token;
}

const version = async () =>
  Number((await api.db.selectFrom('edge_feed').select('version').executeTakeFirstOrThrow()).version);

describe('a protected channel', () => {
  it('is public until it is protected, and shows it', async () => {
    const site = await openSite();
    expect((await site.get<Channel>()).body.access).toBe('public');
    expect(await site.keyOf()).toBeUndefined();
    expect((await site.put<Channel>({ access: 'link' })).body.access).toBe('link');
    expect(await site.keyOf()).toMatch(/^[\w-]{43}$/);
    expect((await site.put<Channel>({ access: 'public' })).body.access).toBe('public');
    expect(await site.keyOf()).toBeUndefined();
  });

  it('is protected from its first deployment on, and stays so with the next ones and renewals', async () => {
    const site = await openSite();
    const before = await version();
    expect((await site.deploy('channel=secret&access=link')).status).toBe(201);
    expect((await version()) - before).toBe(1);
    const linkKey = await site.keyOf('secret');
    expect(linkKey).toBeDefined();
    await site.deploy('channel=secret');
    await api.request('PUT', `${site.path}/channels/secret`, { key, body: { access: 'link' } });
    expect(await site.keyOf('secret')).toBe(linkKey);
    expect(await site.keyOf()).toBeUndefined();
    await site.deploy('channel=secret&access=public');
    expect(await site.keyOf('secret')).toBeUndefined();
  });

  it('has an access of a channel only', async () => {
    const site = await openSite();
    const refused = await site.deploy<ApiError>('access=link');
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
    for (const access of ['password', null]) expect((await site.put({ access })).status).toBe(400);
  });

  it('has another key each time that it becomes protected', async () => {
    const site = await openSite();
    const keys = new Set();
    for (const access of ['link', 'public', 'link']) {
      await site.put({ access });
      keys.add(await site.keyOf());
    }
    expect(keys.size).toBe(3);
  });

  it('is explained as for a visitor with a link', async () => {
    const site = await openSite();
    const explain = async () => {
      const url = encodeURIComponent(`http://${site.host}/`);
      return (await api.request<Explanation>('GET', `${site.path}/explain?url=${url}`, { key })).body.hops;
    };
    expect(await explain()).toMatchObject([{ needsLink: false }, { status: 200, needsLink: false }]);
    await site.put({ access: 'link' });
    expect(await explain()).toMatchObject([
      { status: 308, needsLink: false },
      { status: 200, file: 'index.html', needsLink: true },
    ]);
  });
});

describe('a link', () => {
  it('is signed with the key of the route, until its end, and is stored nowhere', async () => {
    const site = await openSite();
    await site.put({ access: 'link' });
    const before = await version();
    const { status, body } = await site.link<CreatedChannelLink>({ expiresIn: DAY_SECONDS });
    expect(status).toBe(201);
    const { origin, pathname } = new URL(body.url);
    expect(origin + pathname).toBe(`https://${site.host}/`);
    const token = tokenOf(body);
    expect(isSignedWith(token, (await site.keyOf()) ?? '')).toBe(true);
    expect(new Date(token.endsAt * 1_000).toISOString()).toBe(body.expiresAt);
    const secondsLeft = token.endsAt - Date.now() / 1_000;
    expect(secondsLeft).toBeGreaterThan(DAY_SECONDS - 60);
    expect(secondsLeft).toBeLessThanOrEqual(DAY_SECONDS);
    expect(await version()).toBe(before);
  });

  it('has an end within 30 days, by default in seven', async () => {
    const site = await openSite();
    await site.put({ access: 'link' });
    for (const expiresIn of [0, 59, 30 * DAY_SECONDS + 1, 1.5, '60', null])
      expect((await site.link({ expiresIn })).status).toBe(400);
    expect((await site.link({ expiresIn: 30 * DAY_SECONDS })).status).toBe(201);
    const { body } = await site.link<CreatedChannelLink>({});
    expect(Math.round((Date.parse(body.expiresAt) - Date.now()) / 1_000 / DAY_SECONDS)).toBe(7);
  });

  it('is none of a public channel, of one that is not there, or of another organization', async () => {
    const site = await openSite();
    for (const work of [site.link, () => site.end()])
      expect(await work({})).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await site.put({ access: 'link' });
    const { key: stranger } = await api.createOrganization('pro');
    expect((await site.link({}, stranger)).status).toBe(404);
    expect((await site.end(undefined, stranger)).status).toBe(404);
    for (const method of ['POST', 'DELETE']) {
      const path = `${site.path}/channels/missing/links`;
      const missing = await api.request(method, path, { key, ...(method === 'POST' && { body: {} }) });
      expect(missing.status).toBe(404);
    }
  });

  it('is of its channel alone', async () => {
    const [site, other] = [await openSite(), await openSite()];
    await Promise.all([site, other].map((each) => each.put({ access: 'link' })));
    const token = tokenOf((await site.link<CreatedChannelLink>({})).body);
    expect(isSignedWith(token, (await other.keyOf()) ?? '')).toBe(false);
  });

  it('needs write access to the project', async () => {
    const site = await openSite();
    await site.put({ access: 'link' });
    const body = { name: 'reader', scopes: ['projects:read'] };
    const { body: reader } = await api.request<{ secret: string }>('POST', '/v1/api-keys', { key, body });
    expect((await site.get(undefined, reader.secret)).status).toBe(200);
    expect((await site.link({}, reader.secret)).status).toBe(403);
    expect((await site.end(undefined, reader.secret)).status).toBe(403);
  });
});

describe('the end of all links', () => {
  it('is another key, in one version, and says when every edge has it', async () => {
    const site = await openSite();
    await site.put({ access: 'link' });
    const old = tokenOf((await site.link<CreatedChannelLink>({})).body);
    await acknowledge(api, api.url, 'edge-one');
    const before = await version();
    expect(await site.end()).toMatchObject({ status: 202, body: { pendingEdges: 1 } });
    expect((await version()) - before).toBe(1);
    const linkKey = (await site.keyOf()) ?? '';
    expect(isSignedWith(old, linkKey)).toBe(false);
    const fresh = tokenOf((await site.link<CreatedChannelLink>({})).body);
    expect(isSignedWith(fresh, linkKey)).toBe(true);
    await api.db.deleteFrom('edges').execute();
    expect((await site.end()).status).toBe(204);
  });
});
