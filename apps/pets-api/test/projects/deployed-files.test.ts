import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, CreatedDeployment, Deployment, EdgeRoute } from '@pets/contracts';
import { findInStoredSite, readSiteIndexHead, readSiteRules, SiteRules } from '@pets/sites';
import { makeBundle, makeTar } from './bundles.js';
import { CollectionFixture, type Publisher } from './collection-fixture.js';

let fixture: CollectionFixture;

beforeAll(async () => {
  fixture = await CollectionFixture.start();
});
afterAll(() => fixture.close());

type Files = Readonly<Record<string, string>>;

/** Sends an archive as it is. */
function send<Body = CreatedDeployment>(
  { key, projectId }: Publisher,
  body: Buffer,
  { query = '', type = 'application/gzip' }: { readonly query?: string; readonly type?: string } = {},
) {
  const path = `/v1/projects/${projectId}/deployments${query}`;
  return fixture.api.request<Body>('POST', path, { key, body, headers: { 'content-type': type } });
}

const bundleOf = (files: Files) => makeBundle(Object.entries(files).map(([path, content]) => ({ path, content })));

describe('how long browsers keep a file', () => {
  /** Reads the freshness of files as the edges do, from the index of the published route. */
  async function freshnessOf(publisher: Publisher, ...paths: readonly string[]) {
    const rows = await fixture.api.db
      .selectFrom('edge_routes')
      .select('route')
      .where('project_id', '=', publisher.projectId)
      .execute();
    const { serve } = rows[0]?.route as unknown as EdgeRoute; // as the API wrote it
    if (serve?.kind !== 'site') throw new Error('no site is served');
    const found = await findInStoredSite(fixture.storage, serve.contentHash, paths);
    return paths.map((path) => found.get(path)?.freshness);
  }

  const paths = ['assets/app-BkX1o2aQ.js', 'hero.3f2a9c1b.png', 'app.js'] as const;
  const [script, hero] = paths;
  const first = { [paths[0]]: 'one', [paths[1]]: 'hero', [paths[2]]: 'app' };

  it('is decided by names, and by what other deployments have there', async () => {
    const publisher = await fixture.publisher('pro');
    const { body } = await fixture.upload(publisher, first);
    expect(await freshnessOf(publisher, ...paths)).toEqual(['year', 'day', 'revalidated']);
    const again = await fixture.upload(publisher, first);
    expect(await freshnessOf(publisher, ...paths)).toEqual(['year', 'year', 'revalidated']);
    expect(again.body.contentHash).toBe(body.contentHash);
    await fixture.upload(publisher, { ...first, [script]: 'two', [hero]: 'other' });
    expect(await freshnessOf(publisher, script, hero)).toEqual(['revalidated', 'revalidated']);
    // Other projects do not matter.
    const other = await fixture.publisher('pro');
    await fixture.upload(other, { ...first, [script]: 'three' });
    expect(await freshnessOf(other, ...paths)).toEqual(['year', 'day', 'revalidated']);
  });

  it('stays revalidated for a name that had other content once, when that deployment is gone', async () => {
    const publisher = await fixture.publisher('pro', { keptDeployments: 1 });
    await fixture.upload(publisher, first);
    for (const note of ['a', 'b', 'c']) await fixture.upload(publisher, { ...first, [script]: 'two', note });
    expect(await freshnessOf(publisher, ...paths)).toEqual(['revalidated', 'year', 'revalidated']);
  });

  it('is revalidated while an earlier index cannot be read', async () => {
    const publisher = await fixture.publisher('pro');
    await fixture.api.db
      .insertInto('deployments')
      .values({
        project_id: publisher.projectId,
        state: 'ready',
        content_hash: 'ad',
        files_hash: 'ad',
        files: 1,
        bytes: 1n,
      })
      .execute();
    await fixture.upload(publisher, first);
    expect(await freshnessOf(publisher, ...paths)).toEqual(['revalidated', 'revalidated', 'revalidated']);
  });
});

describe('an archive', () => {
  it('is published without what operating systems add, which the answer lists', async () => {
    const publisher = await fixture.publisher('pro');
    const kept = { 'index.html': 'x', '.well-known/security.txt': 'x', '.htaccess': 'x', '._alone': 'x' };
    const added = { '.DS_Store': 'x', '._index.html': 'x', '__MACOSX/._index.html': 'x', 'img/Thumbs.db': 'x' };
    const { body } = await send(publisher, bundleOf({ ...added, ...kept }));
    expect(body.files).toBe(4);
    expect(body.ignored.count).toBe(4);
    expect([...body.ignored.paths].sort()).toEqual(Object.keys(added).sort());
    const allowed = await send(publisher, bundleOf({ ...added, ...kept }), { query: '?allow=.DS_Store,._index.html' });
    expect(allowed.body).toMatchObject({ files: 6, ignored: { count: 2 } });
  });

  it('that adds very many files names a hundred of them', async () => {
    const files: Files = Object.fromEntries(
      Array.from({ length: 10_001 }, (_, nth) => [`${nth}/.DS_Store`, ''] as const),
    );
    const { body } = await send(await fixture.publisher('pro'), bundleOf({ 'index.html': 'x', ...files }));
    expect([body.files, body.ignored.count, body.ignored.paths.length]).toEqual([1, 10_001, 100]);
  });

  it.each(['.env', 'api/.env.local', '.git/config', 'server.key'])(
    'with a secret is refused, unless it is asked for: %s',
    async (path) => {
      const publisher = await fixture.publisher('pro');
      const bundle = bundleOf({ 'index.html': 'x', [path]: '-----BEGIN PRIVATE KEY-----\nx' });
      const refused = await send<ApiError>(publisher, bundle);
      expect(refused.body.code).toBe('invalid_bundle');
      expect(refused.body.message).toMatch(new RegExp(`^${RegExp.escape(path)} .*\\?allow=${RegExp.escape(path)} `));
      expect((await send(publisher, bundle, { query: `?allow=${path}` })).body.files).toBe(2);
      expect((await send(publisher, bundle, { query: '?allow=other' })).status).toBe(400);
      expect(await fixture.list(publisher)).toHaveLength(1);
    },
  );

  it.each<[string, Buffer, string]>([
    ['zip', Buffer.from('PK\u0003\u0004 and more'), 'is a zip archive'],
    ['plain tar', makeTar([{ path: 'a', content: 'x' }]), 'is a tar archive that is not compressed'],
  ])('of another format is refused by its name, with what to do: %s', async (_format, body, message) => {
    const refused = await send<ApiError>(await fixture.publisher('pro'), body);
    expect(refused.body.message).toContain(message);
    expect(refused.body.message).toContain('tar -czhf');
  });

  it.each(['application/zip', 'application/json', 'text/csv'])(
    'of the type %s is refused with the right one',
    async (type) => {
      const refused = await send<ApiError>(await fixture.publisher('pro'), bundleOf({ a: 'x' }), { type });
      expect(refused).toMatchObject({
        status: 415,
        body: { message: expect.stringMatching(/must be application\/gzip: a gzipped tar/) },
      });
    },
  );

  it('is listed without what was left out', async () => {
    const publisher = await fixture.publisher('pro');
    await send(publisher, bundleOf({ 'index.html': 'x' }));
    expect((await fixture.list(publisher)).map((deployment: Deployment) => 'ignored' in deployment)).toEqual([false]);
  });
});

describe('_redirects and _headers', () => {
  const rules = { _redirects: '/old /new 302\n', _headers: '/*\n  X-Frame-Options: DENY\n' };

  /** The rules of a stored deployment, as an edge reads them. */
  async function rulesOf(contentHash: string): Promise<SiteRules | undefined> {
    const rules = await readSiteRules(fixture.storage, await readSiteIndexHead(fixture.storage, contentHash));
    return rules === undefined ? undefined : SiteRules.parse(rules);
  }

  it('are rules of the deployment, and no files of it', async () => {
    const publisher = await fixture.publisher('pro');
    const { body } = await fixture.upload(publisher, { 'index.html': 'home', ...rules });
    expect(body).toMatchObject({ files: 1, bytes: 4 });
    const stored = await rulesOf(body.contentHash);
    expect(stored?.redirects.findOther('/old', '')).toMatchObject({ filled: '/new', rule: { status: 302 } });
    expect(stored?.headersFor('/')).toEqual({ 'x-frame-options': 'DENY' });
    expect(await findInStoredSite(fixture.storage, body.contentHash, ['_redirects', '_headers'])).toEqual(new Map());
    const without = await fixture.upload(publisher, { 'index.html': 'home' });
    expect(without.body.contentHash).not.toBe(body.contentHash);
    expect(await rulesOf(without.body.contentHash)).toBeUndefined();
  });

  it('may be a site without files', async () => {
    const { status, body } = await fixture.upload(await fixture.publisher('pro'), {
      _redirects: '/* https://new.example/:splat',
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ files: 0 });
  });

  it.each([
    [{ _redirects: '/a /b\n/c d\n' }, /^_redirects, line 2: "d" is neither a path/],
    [{ _headers: '/*\n  Set-Cookie: a=b\n' }, /^_headers, line 2: Set-Cookie cannot be set by a site\.$/],
    [{ _redirects: '/a /b\n/b /a' }, /^_redirects, line 1: redirects in a loop: lines 1, 2\.$/],
    [{ '_redirects/index.html': 'x' }, /^_redirects is a folder; it must be a file\.$/],
    [{ _redirects: '#'.repeat(262_145) }, /^_redirects is larger than 262144 bytes\.$/],
    [{ _redirects: 'x\n'.repeat(100_000) }, /^(_redirects, line \d+: "x" does not begin with \/; ){10}and more\.$/],
  ])('with lines that cannot be applied are refused: %j', async (files, message) => {
    const publisher = await fixture.publisher('pro');
    const refused = await send<ApiError>(publisher, bundleOf({ 'index.html': 'home', ...files }));
    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({ code: 'invalid_bundle', message: expect.stringMatching(message) });
    const { body } = await fixture.api.request<Deployment[]>('GET', `/v1/projects/${publisher.projectId}/deployments`, {
      key: publisher.key,
    });
    expect(body).toEqual([]);
  });

  it('in another encoding are refused', async () => {
    const publisher = await fixture.publisher('pro');
    const content = Buffer.from('/a /b', 'utf16le');
    const refused = await send<ApiError>(
      publisher,
      makeBundle([{ path: '_redirects', content: Buffer.concat([Buffer.from([0xff, 0xfe]), content]) }]),
    );
    expect(refused.body).toMatchObject({ code: 'invalid_bundle', message: '_redirects is not text in UTF-8.' });
  });
});
