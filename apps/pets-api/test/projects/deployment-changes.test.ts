import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, Deployment, DeploymentChanges, DeploymentWithEdges } from '@pets/contracts';
import { sql } from 'kysely';
import { site } from './bundles.js';
import { CollectionFixture, type Publisher } from './collection-fixture.js';

let fixture: CollectionFixture;

beforeAll(async () => {
  fixture = await CollectionFixture.start();
});
afterAll(() => fixture.close());

type Files = Readonly<Record<string, string>>;

const deploy = async (publisher: Publisher, files: Files) => (await fixture.upload(publisher, files)).body;
const changes = <Body = DeploymentChanges>({ key, path }: Publisher, { id }: Deployment, query = '') =>
  fixture.api.request<Body>('GET', `${path}/${id}/changes${query}`, { key });

describe('the changes of a deployment', () => {
  it('are those to the kept one before it, or to another one', async () => {
    const publisher = await fixture.publisher();
    const first = await deploy(publisher, { 'index.html': 'a', 'gone.html': 'x', _redirects: '/a /b\n' });
    const second = await deploy(publisher, { 'index.html': 'b', 'new.html': 'x', _redirects: '/a /c\n' });
    const third = await deploy(publisher, { 'index.html': 'b', 'new.html': 'x', _redirects: '/a /c\n' });
    const none = { count: 0, paths: [] };
    const differences = {
      added: { count: 1, paths: ['new.html'] },
      changed: { count: 2, paths: ['_redirects', 'index.html'] },
      removed: { count: 1, paths: ['gone.html'] },
    };
    expect((await changes(publisher, second)).body).toEqual({ since: first.id, ...differences });
    expect((await changes(publisher, third)).body).toEqual({
      since: second.id,
      ...{ added: none, changed: none, removed: none },
    });
    expect((await changes(publisher, third, `?since=${first.id}`)).body).toEqual({ since: first.id, ...differences });
    expect((await changes(publisher, first)).body).toEqual({
      since: null,
      ...{ added: { count: 3, paths: ['_redirects', 'gone.html', 'index.html'] }, changed: none, removed: none },
    });
  });

  it('name a hundred files of each kind', async () => {
    const publisher = await fixture.publisher();
    const files = Object.fromEntries(Array.from({ length: 150 }, (_, nth) => [`${nth}.html`, 'x'] as const));
    const { body } = await changes(publisher, await deploy(publisher, files));
    expect([body.added.count, body.added.paths.length]).toEqual([150, 100]);
  });

  it('are those of kept deployments of the project', async () => {
    const publisher = await fixture.publisher('pro', { keptDeployments: 1 });
    const first = await deploy(publisher, { a: '1' });
    const second = await deploy(publisher, { a: '2' });
    expect((await changes(publisher, second)).body).toMatchObject({ since: null, added: { count: 1 } });
    expect((await changes<ApiError>(publisher, first)).body.code).toBe('deployment_collected');
    const since = `?since=${first.id}`;
    expect((await changes<ApiError>(publisher, second, since)).body.code).toBe('deployment_collected');
    const other = await fixture.publisher();
    const foreign = await deploy(other, { a: '1' });
    expect((await changes<ApiError>(publisher, foreign)).body.code).toBe('not_found');
    expect((await changes<ApiError>(publisher, second, `?since=${foreign.id}`)).body.code).toBe('not_found');
  });
});

describe('a deployment', () => {
  const get = async ({ key, path }: Publisher, { id }: Deployment) =>
    (await fixture.api.request<DeploymentWithEdges>('GET', `${path}/${id}`, { key })).body;

  it('is served everywhere once every edge has its routes', async () => {
    const publisher = await fixture.publisher();
    const { db } = fixture.api;
    const first = await deploy(publisher, { a: '1' });
    // No edge serves anything else.
    expect(await get(publisher, first)).toEqual({ ...first, ignored: undefined, servedEverywhere: true });
    await sql`
      insert into edges (id, epoch, acked_version, http_address, https_address, last_contact_at, session_id)
      select 'edge', epoch, version, 'http://e', 'https://e', now(), gen_random_uuid()
      from edge_feed`.execute(db);
    const second = await deploy(publisher, { a: '2' });
    expect(await get(publisher, second)).toMatchObject({ active: true, servedEverywhere: false });
    // Another project does not matter.
    const other = await fixture.publisher();
    await sql`update edges set acked_version = (select version from edge_feed)`.execute(db);
    await deploy(other, { a: '1' });
    expect(await get(publisher, second)).toMatchObject({ active: true, servedEverywhere: true });
    expect(await get(publisher, first)).toMatchObject({ active: false, servedEverywhere: false });
    await sql`delete from edges`.execute(db);
  });

  it('has a source', async () => {
    const { key, path } = await fixture.publisher();
    const headers = { 'content-type': 'application/gzip' };
    const upload = (query: string) =>
      fixture.api.request<Deployment>('POST', path + query, { key, body: site, headers });
    const url = 'https://git.example.com/acme/docs/-/pipelines/7';
    const { body } = await upload(`?branch=main&commit=4f1c2d9&sourceUrl=${encodeURIComponent(url)}`);
    expect(body.source).toEqual({ branch: 'main', commit: '4f1c2d9', url });
    expect((await upload('')).body.source).toBeNull();
    const faults = [
      'commit=HEAD',
      'commit=4f1c2d',
      'branch=',
      'sourceUrl=http://x',
      'sourceUrl=https://x/%0a',
      'sourceUrl=javascript:x',
    ];
    for (const fault of faults) expect([fault, (await upload(`?${fault}`)).status]).toEqual([fault, 400]);
  });
});
