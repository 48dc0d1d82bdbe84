import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { platformRoute, redirectRoute, siteRoute, EdgeFixture } from './edge-fixture.js';
import { askHttp2, type Asking } from './visitor.js';

const RULES_HASH = 'ab01';
const APP_HASH = 'ab02';
const PORT = '8443';

const site = {
  'index.html': 'Home',
  'about.html': 'About',
  'docs/index.html': 'Docs',
  'docs/setup.html': 'Set-up',
  '404.html': 'Lost?',
  'fr/index.html': 'Accueil',
  'fr/404.html': 'Perdu ?',
  'data.json': '{}',
  'apple-app-site-association': '{}',
  'app.webmanifest': '{}',
  'feed.atom': '<feed/>',
  'notes.md': '# Notes',
  'module.mjs': 'export {}',
  _redirects: `
/old /about
/moved/* /docs/:splat 302
/out/* https://new.example/:splat
/app/* /docs/setup 200
/gone/* /fr/404.html 404
/lost/* /nowhere 200
/about /docs/ 303!
`,
  _headers: `
/*
  X-Frame-Options: DENY
/docs/*
  Cache-Control: max-age=600
  Content-Language: en
/data.json
  Access-Control-Allow-Origin: https://app.example
`,
};

let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge({ PUBLIC_HTTPS_PORT: PORT });
  await fixture.deploy(site, RULES_HASH);
  await fixture.deploy({ 'index.html': 'App', '200.html': 'Single page', 'app.js': 'x' }, APP_HASH);
  for (const name of ['site', 'slash', 'bare', 'spa', 'old', 'plain']) await fixture.issue(name, `${name}.test`);
  const withSlashes = (name: string, trailingSlash: 'always' | 'never') => ({
    ...siteRoute(name, RULES_HASH),
    serve: { kind: 'site' as const, contentHash: RULES_HASH, trailingSlash },
  });
  await fixture.api.publishAndSettle({
    'site.test': siteRoute('site', RULES_HASH),
    'plain.test': siteRoute('plain'),
    'slash.test': { ...withSlashes('slash', 'always'), hsts: 'max-age=60' },
    'bare.test': withSlashes('bare', 'never'),
    'spa.test': siteRoute('spa', APP_HASH),
    'old.test': redirectRoute('site.test', 'old'),
    'acme.pets.test': platformRoute,
  });
});
afterAll(() => fixture.tearDown());

const ask = (host: string, path: string, asking: Asking = {}) => fixture.visitor.secure(host, { path, ...asking });

describe('an address', () => {
  it.each([
    ['site.test', '/docs', 308, '/docs/'],
    ['site.test', '/docs?a=%20b&c', 308, '/docs/?a=%20b&c'],
    ['site.test', '/docs/index.html?a', 308, '/docs/?a'],
    ['site.test', '/index.html', 308, '/'],
    ['site.test', '/docs/setup/', 308, '/docs/setup'],
    ['plain.test', '/about/', 308, '/about'],
    ['slash.test', '/docs/setup', 308, '/docs/setup/'],
    ['slash.test', '/docs/index.html', 308, '/docs/'],
    ['bare.test', '/docs/', 308, '/docs'],
    // Rules.
    ['site.test', '/old', 301, '/about'],
    ['site.test', '/old/?a=b', 301, '/about?a=b'],
    ['site.test', '/moved/a/b%20c', 302, '/docs/a/b%20c'],
    ['site.test', '/moved//evil.example', 302, '/docs/evil.example'],
    ['site.test', '/out/a?b', 301, 'https://new.example/a?b'],
    ['site.test', '/about', 303, '/docs/'],
  ])('%s%s redirects with %d to %s', async (host, path, status, to) => {
    const location = to.startsWith('/') ? `https://${host}:${PORT}${to}` : to;
    const [http1, http2, head] = [
      await ask(host, path),
      await askHttp2(await fixture.visitor.http2(host), host, { path }),
      await ask(host, path, { method: 'HEAD' }),
    ];
    for (const reply of [http1, http2, head]) {
      expect(reply).toMatchObject({ status, body: '', headers: { location } });
      expect(reply.headers['cache-control']).toBe(path.startsWith('/docs') ? 'max-age=600' : 'max-age=60');
      expect(reply.headers['x-frame-options']).toBeUndefined();
    }
  });

  it.each([
    ['site.test', '/', 200, 'Home'],
    ['site.test', '/docs/', 200, 'Docs'],
    ['site.test', '/docs/setup', 200, 'Set-up'],
    ['slash.test', '/docs/setup/', 200, 'Set-up'],
    ['bare.test', '/docs', 200, 'Docs'],
    ['site.test', '/app/any/where', 200, 'Set-up'],
    ['site.test', '/gone/x', 404, 'Perdu ?'],
    ['site.test', '/lost/x', 404, 'Lost?'],
    ['site.test', '/nowhere', 404, 'Lost?'],
    ['site.test', '/fr/nowhere/deep', 404, 'Perdu ?'],
    ['site.test', '/_redirects', 404, 'Lost?'],
    ['site.test', '/_headers', 404, 'Lost?'],
    ['spa.test', '/deep/link', 200, 'Single page'],
    ['spa.test', '/app.js', 200, 'x'],
    ['spa.test', '/200.html', 200, 'Single page'],
  ])('%s%s shows %d %s', async (host, path, status, body) => {
    const [http1, again, http2] = [
      await ask(host, path),
      await ask(host, path),
      await askHttp2(await fixture.visitor.http2(host), host, { path }),
    ];
    for (const reply of [http1, again, http2]) expect(reply).toMatchObject({ status, body });
  });

  it('has the form of its project, though another project has the same files', async () => {
    for (let round = 0; round < 3; round++)
      for (const [host, path, status] of [
        ['site.test', '/docs/setup', 200],
        ['slash.test', '/docs/setup', 308],
        ['bare.test', '/docs/setup', 200],
        ['site.test', '/docs/', 200],
        ['slash.test', '/docs/', 200],
        ['bare.test', '/docs/', 308],
      ] as const) {
        const http1 = await ask(host, path);
        const http2 = await askHttp2(await fixture.visitor.http2(host), host, { path });
        for (const reply of [http1, http2]) {
          expect(reply.status).toBe(status);
          expect(reply.headers['strict-transport-security']).toBe(host === 'slash.test' ? 'max-age=60' : undefined);
        }
      }
  });

  it('of a redirect leads to a page, in whatever form it is asked', async () => {
    for (const host of ['site.test', 'slash.test', 'bare.test'])
      for (const path of ['/docs', '/docs/', '/docs/index.html', '/docs/setup', '/docs/setup/', '/index.html', '/fr']) {
        const first = await ask(host, path);
        const location = first.headers.location;
        const last = location === undefined ? first : await ask(host, new URL(location).pathname);
        expect([host, path, last.status]).toEqual([host, path, 200]);
      }
  });

  it('of a domain that redirects keeps its path', async () => {
    const reply = await ask('old.test', '/docs');
    expect(reply).toMatchObject({ status: 308, headers: { location: `https://site.test:${PORT}/docs` } });
    expect(reply.headers['x-frame-options']).toBeUndefined();
  });
});

describe('header fields of a site', () => {
  it.each<[string, Asking['headers'] & object, number]>([
    ['/docs/', {}, 200],
    ['/docs/', { range: 'bytes=0-1' }, 206],
    ['/docs/nowhere', {}, 404],
  ])('are in %s with %j', async (path, headers, status) => {
    const reply = await ask('site.test', path, { headers });
    expect(reply).toMatchObject({
      status,
      headers: {
        'x-frame-options': 'DENY',
        'cache-control': 'max-age=600',
        'content-language': 'en',
        'x-content-type-options': 'nosniff',
        'access-control-allow-origin': '*',
      },
    });
    const { etag } = reply.headers;
    if (etag === undefined) return;
    const unchanged = await ask('site.test', path, { headers: { 'if-none-match': etag } });
    expect(unchanged).toMatchObject({ status: 304, headers: { 'x-frame-options': 'DENY', 'content-language': 'en' } });
  });

  it('are not in pages of ours', async () => {
    const reply = await ask('site.test', '/', { method: 'POST' });
    expect(reply.status).toBe(405);
    expect(reply.headers['x-frame-options']).toBeUndefined();
  });

  it('say who may read a file', async () => {
    const own = await ask('site.test', '/data.json', { headers: { origin: 'https://app.example' } });
    expect(own.headers['access-control-allow-origin']).toBe('https://app.example');
    const reply = await ask('plain.test', '/assets/app.css');
    expect(reply.headers['access-control-allow-origin']).toBe('*');
    expect(reply.headers['access-control-allow-credentials']).toBeUndefined();
  });
});

it.each([
  ['/apple-app-site-association', 'application/json; charset=utf-8'],
  ['/app.webmanifest', 'application/manifest+json; charset=utf-8'],
  ['/feed.atom', 'application/atom+xml; charset=utf-8'],
  ['/notes.md', 'text/markdown; charset=utf-8'],
  ['/module.mjs', 'text/javascript; charset=utf-8'],
])('%s is %s', async (path, type) => {
  expect((await ask('site.test', path)).headers['content-type']).toBe(type);
});
