import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreatedDeployment, Deployment, EdgeRoute, Project } from '@pets/contracts';
import { DeploymentsRepository } from '../../src/projects/deployments/deployments.repository.js';
import { insertPerson } from '../access/member-steps.js';
import { makeBundle } from './bundles.js';
import type { ApiResponse, TestApi } from '../harness.js';
import { shareTestApi } from '../shared-api.js';

let api: TestApi;
let key: string;
let otherKey: string;

beforeAll(async () => {
  api = await shareTestApi();
  ({ key } = await api.createOrganization('pro'));
  ({ key: otherKey } = await api.createOrganization('pro'));
});
afterAll(() => api.close());

let count = 0;

interface Site {
  readonly path: string;
  /** Uploads a page. */
  deploy(text: string): Promise<Deployment>;
  activate<Body = Deployment>(id: string, as?: string): Promise<ApiResponse<Body>>;
  list(): Promise<Deployment[]>;
  /** The published route of the project's own host, and its version. */
  served(): Promise<{
    contentHash: string | undefined;
    trailingSlash: string | undefined;
    hsts: string | undefined;
    version: number;
  }>;
}

async function openSite(): Promise<Site> {
  const slug = `deployed-${(count += 1)}`;
  const { body } = await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'Docs', slug } });
  const path = `/v1/projects/${body.id}`;
  return {
    path,
    deploy: async (text) => {
      const bundle = makeBundle([{ path: 'index.html', content: text }]);
      const headers = { 'content-type': 'application/gzip' };
      const { body } = await api.request<CreatedDeployment>('POST', `${path}/deployments`, {
        key,
        body: bundle,
        headers,
      });
      const { ignored, ...deployment } = body;
      expect(ignored).toEqual({ count: 0, paths: [] });
      return deployment;
    },
    activate: (id, as = key) => api.request('POST', `${path}/deployments/${id}/activate`, { key: as }),
    list: async () => (await api.request<Deployment[]>('GET', `${path}/deployments`, { key })).body,
    served: async () => {
      const row = await api.db
        .selectFrom('edge_routes')
        .select(['route', 'version'])
        .where('host', '=', `${slug}.pets.localhost`)
        .executeTakeFirstOrThrow();
      const { serve, hsts } = row.route as unknown as EdgeRoute; // as the API wrote it
      return {
        contentHash: serve?.kind === 'site' ? serve.contentHash : undefined,
        trailingSlash: serve?.kind === 'site' ? serve.trailingSlash : undefined,
        hsts,
        version: Number(row.version),
      };
    },
  };
}

const activeOf = (deployments: readonly Deployment[]) => deployments.filter(({ active }) => active).map(({ id }) => id);

describe('a deployment', () => {
  const send = (path: string, query: string) =>
    api.request<CreatedDeployment>('POST', `${path}/deployments${query}`, {
      key,
      body: makeBundle([{ path: 'index.html', content: 'home' }]),
      headers: { 'content-type': 'application/gzip' },
    });

  it('has its author and what the author says', async () => {
    const site = await openSite();
    const { body } = await send(site.path, `?message=${encodeURIComponent('New prices – café')}`);
    const display = `${key.slice(0, 10)}…${key.slice(-4)}`;
    expect(body).toMatchObject({ message: 'New prices – café', author: { kind: 'api_key', display } });
    await send(site.path, '');
    expect(await site.list()).toMatchObject([{ message: null }, { message: 'New prices – café', author: { display } }]);
  });

  it('of a person has the name that the person has now', async () => {
    const { key: ownKey, organizationId } = await api.createOrganization('pro');
    const personId = await insertPerson(api, organizationId, 'developer');
    const project = await api.request<Project>('POST', '/v1/projects', {
      key: ownKey,
      body: { name: 'Docs', slug: 'of-a-person' },
    });
    const requester = { kind: 'person', apiKeyId: null, personId, name: null, address: null, requestId: null } as const;
    const deployments = api.service(DeploymentsRepository);
    const stored = {
      contentHash: 'ab',
      filesHash: 'ab',
      bundleId: null,
      files: 0,
      bytes: 0,
      message: null,
      source: null,
      isActivated: true,
    };
    const author = { kind: 'person', id: personId };
    await api.db.transaction().execute(async (tx) => {
      const { id } = await deployments.insert(tx, { projectId: project.body.id, ...stored }, requester);
      expect(await deployments.find(tx, project.body.id, id)).toMatchObject({
        author: { ...author, display: 'developer' },
      });
      await tx.updateTable('people').set({ name: 'Ada' }).where('id', '=', personId).execute();
      expect(await deployments.find(tx, project.body.id, id)).toMatchObject({ author: { ...author, display: 'Ada' } });
    });
  });

  it.each(['?message=', `?message=${'x'.repeat(201)}`, '?message=a%00', '?message=%E2%80%AE'])(
    'has no message like %s',
    async (query) => {
      const { path } = await openSite();
      expect(await send(path, query)).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
    },
  );
});

describe('of a project’s deployments', () => {
  it('the newest is served', async () => {
    const site = await openSite();
    const first = await site.deploy('first');
    expect(first.active).toBe(true);
    expect((await site.served()).contentHash).toEqual(first.contentHash);
    const second = await site.deploy('second');
    expect((await site.served()).contentHash).toBe(second.contentHash);
    expect((await site.list()).map(({ id, active }) => [id, active])).toEqual([
      [second.id, true],
      [first.id, false],
    ]);
  });

  it('an earlier one is served again at a word, until the next upload', async () => {
    const site = await openSite();
    const [first, second] = [await site.deploy('first'), await site.deploy('second')];
    const back = await site.activate(first.id);
    expect(back.status).toBe(200);
    expect(back.body).toEqual({ ...first, active: true });
    expect((await site.served()).contentHash).toEqual(first.contentHash);
    expect(activeOf(await site.list())).toEqual([first.id]);
    await site.activate(second.id);
    expect((await site.served()).contentHash).toBe(second.contentHash);
    await site.activate(first.id);
    const third = await site.deploy('third');
    expect((await site.served()).contentHash).toEqual(third.contentHash);
    expect(activeOf(await site.list())).toEqual([third.id]);
  });

  it('the one that is served already stays, and the edges get no new version', async () => {
    const site = await openSite();
    const deployment = await site.deploy('only');
    const before = await site.served();
    for (const answer of [await site.activate(deployment.id), await site.activate(deployment.id)]) {
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(deployment);
    }
    expect(await site.served()).toEqual(before);
  });

  it('exactly one is served, however many ask for theirs', async () => {
    const site = await openSite();
    const deployments = [
      await site.deploy('1'),
      await site.deploy('2'),
      await site.deploy('3'),
      await site.deploy('4'),
    ];
    const answers = await Promise.all(deployments.flatMap(({ id }) => [site.activate(id), site.activate(id)]));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const [active, ...others] = activeOf(await site.list());
    expect(others).toEqual([]);
    const { contentHash } = deployments.find(({ id }) => id === active) ?? {};
    expect((await site.served()).contentHash).toBe(contentHash);
  });

  it('none but its own can be served', async () => {
    const [site, other] = [await openSite(), await openSite()];
    const [own, foreign] = [await site.deploy('own'), await other.deploy('foreign')];
    const missing = '00000000-0000-4000-8000-000000000000';
    for (const id of [foreign.id, missing, 'no-id'])
      expect((await site.activate<{ code: string }>(id)).body.code).toBe('not_found');
    expect((await site.activate<{ code: string }>(own.id, otherKey)).body.code).toBe('not_found');
    expect((await site.served()).contentHash).toBe(own.contentHash);
  });

  it('the one that is served is listed, however old it is', async () => {
    const site = await openSite();
    const first = await site.deploy('first');
    const { projectId: project_id } = first;
    const row = { project_id, state: 'ready' as const, content_hash: 'ab', files_hash: 'ab', files: 1, bytes: 1n };
    await api.db
      .insertInto('deployments')
      .values(Array.from({ length: 100 }, () => row))
      .execute();
    expect(await site.list()).toHaveLength(100);
    await site.activate(first.id);
    const listed = await site.list();
    expect(listed.length).toBe(101);
    expect(listed.at(-1)).toEqual({ ...first, active: true });
  });
});

describe('Strict-Transport-Security', () => {
  const patch = <Body = Project>(site: Site, body: unknown, as = key) =>
    api.request<Body>('PATCH', site.path, { key: as, body });

  it('reaches the edges while a project configures it, and not afterwards', async () => {
    const site = await openSite();
    await site.deploy('home');
    expect((await site.served()).hsts).toBeUndefined();
    const asked = await patch(site, { hsts: { maxAge: 600, includeSubDomains: true } });
    const hsts = { maxAge: 600, includeSubDomains: true, preload: false };
    expect(asked.status).toBe(200);
    expect(asked.body.hsts).toEqual(hsts);
    expect((await site.served()).hsts).toBe('max-age=600');
    expect((await api.request<Project>('GET', site.path, { key })).body.hsts).toEqual(hsts);
    expect((await patch(site, { name: 'Other' })).body).toMatchObject({ name: 'Other', hsts });
    expect((await patch(site, {})).body).toMatchObject({ name: 'Other', hsts });
    expect((await patch(site, { hsts: null })).body.hsts).toBeNull();
    expect((await site.served()).hsts).toBeUndefined();
  });

  it('is not the only setting that reaches them: so does the form of addresses', async () => {
    const site = await openSite();
    await site.deploy('home');
    expect((await api.request<Project>('GET', site.path, { key })).body.trailingSlash).toBe('auto');
    expect((await site.served()).trailingSlash).toBeUndefined();
    expect((await patch(site, { trailingSlash: 'always' })).body).toMatchObject({
      trailingSlash: 'always',
      hsts: null,
    });
    expect((await site.served()).trailingSlash).toBe('always');
    expect((await patch(site, { name: 'Other' })).body.trailingSlash).toBe('always');
    expect((await patch(site, { trailingSlash: 'auto' })).body.trailingSlash).toBe('auto');
    expect((await site.served()).trailingSlash).toBeUndefined();
  });

  it.each([
    [{ trailingSlash: 'sometimes' }],
    [{ trailingSlash: null }],
    [{ hsts: { maxAge: -1 } }],
    [{ hsts: { maxAge: 63_072_001 } }],
    [{ hsts: { maxAge: 1.5 } }],
    [{ hsts: { includeSubDomains: true } }],
    [{ hsts: { maxAge: 600, preload: true } }],
    [{ hsts: { maxAge: 31_536_000, preload: true } }],
    [{ hsts: { maxAge: 600, else: 1 } }],
    [{ hsts: 'max-age=600' }],
    [{ slug: 'other' }],
    [{ name: '' }],
  ])('is not set by %j', async (body) => {
    const site = await openSite();
    const refused = await patch<{ code: string }>(site, body);
    expect(refused.status).toBe(400);
    expect(refused.body.code).toBe('invalid_parameter');
  });

  it('of another organization’s project is none of mine', async () => {
    const refused = await patch<{ code: string }>(await openSite(), { hsts: { maxAge: 1 } }, otherKey);
    expect(refused.status).toBe(404);
    expect(refused.body.code).toBe('not_found');
  });
});
