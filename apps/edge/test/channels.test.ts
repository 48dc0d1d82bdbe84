/** Channels: hosts below the platform domain whose route asks search engines not to list them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EdgeRoute } from '@pets/contracts';
import { EdgeFixture, platformRoute } from './edge-fixture.js';
import { askHttp2, type Asking, type Reply } from './visitor.js';

const CHANNEL = 'pr-12--acme.pets.test';
const OTHER = 'beta--acme.pets.test';
const LIVE = 'acme.pets.test';
const SITE_HASH = 'c4a77e1';

const served: EdgeRoute['serve'] = { kind: 'site', contentHash: SITE_HASH };
const channelRoute: EdgeRoute = { ...platformRoute, answersChallenges: false, serve: served, noindex: true };

let fixture: EdgeFixture;
beforeAll(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge();
  await fixture.deploy(
    {
      'index.html': 'Preview',
      'docs/index.html': 'Docs',
      'large.bin': 'x'.repeat(1_000_000),
      '404.html': 'Lost?',
      _redirects: '/old /docs/ 301',
      _headers: '/docs/*\n  X-Robots-Tag: googlebot: all',
    },
    SITE_HASH,
  );
  await fixture.api.publishAndSettle({
    [LIVE]: { ...platformRoute, serve: served },
    [CHANNEL]: { ...channelRoute, hsts: 'max-age=60' },
    [OTHER]: channelRoute,
  });
});
afterAll(() => fixture.tearDown());

/** The same request on both protocols. */
async function ask(host: string, path: string, asking: Asking = {}): Promise<readonly Reply[]> {
  const request = { path, ...asking };
  const session = await fixture.visitor.http2(host);
  return [await fixture.visitor.secure(host, request), await askHttp2(session, host, request)];
}

const robots = ({ headers }: Reply) => headers['x-robots-tag'];

describe('an address of a channel', () => {
  it.each<[string, Asking, number]>([
    ['/', {}, 200],
    ['/', {}, 200],
    ['/', { method: 'HEAD' }, 200],
    ['/', { method: 'POST' }, 405],
    ['/large.bin', {}, 200],
    ['/large.bin', { headers: { range: 'bytes=0-9' } }, 206],
    ['/large.bin', { headers: { range: 'bytes=9000000-' } }, 416],
    ['/docs', {}, 308],
    ['/old', {}, 301],
    ['/nowhere', {}, 404],
    ['/%', {}, 400],
  ])('%s is not to be listed: %j', async (path, asking, status) => {
    for (const reply of await ask(CHANNEL, path, asking))
      expect([reply.status, robots(reply)]).toEqual([status, 'noindex']);
    for (const reply of await ask(LIVE, path, asking))
      expect([reply.status, robots(reply)]).toEqual([status, undefined]);
  });

  it('says so where nothing has changed, and on the plain port', async () => {
    const [first] = await ask(CHANNEL, '/');
    const headers = { 'if-none-match': String(first?.headers.etag) };
    for (const reply of await ask(CHANNEL, '/', { headers }))
      expect([reply.status, robots(reply)]).toEqual([304, 'noindex']);
    const plain = await fixture.visitor.plain(CHANNEL, { path: '/a?b' });
    expect([plain.status, robots(plain)]).toEqual([308, 'noindex']);
    expect(robots(await fixture.visitor.plain(LIVE))).toBeUndefined();
  });

  it('says so before what the site says', async () => {
    for (const reply of await ask(CHANNEL, '/docs/')) expect(robots(reply)).toBe('noindex, googlebot: all');
    for (const reply of await ask(LIVE, '/docs/')) expect(robots(reply)).toBe('googlebot: all');
  });

  it('shares files with other addresses, and no header', async () => {
    for (let round = 0; round < 3; round++)
      for (const [host, expected] of [
        [LIVE, [undefined, undefined]],
        [CHANNEL, ['noindex', 'max-age=60']],
        [OTHER, ['noindex', undefined]],
      ] as const)
        for (const reply of await ask(host, '/')) {
          expect(reply.body).toBe('Preview');
          expect([robots(reply), reply.headers['strict-transport-security']]).toEqual(expected);
        }
  });

  it('that is suspended says so', async () => {
    await fixture.api.publishAndSettle({ [OTHER]: { ...channelRoute, serve: { kind: 'suspended' } } });
    for (const reply of await ask(OTHER, '/')) expect([reply.status, robots(reply)]).toEqual([410, 'noindex']);
    await fixture.api.publishAndSettle({ [OTHER]: channelRoute });
  });

  it('ends with its route, on connections that are open, and no other', async () => {
    const host = 'gone--acme.pets.test';
    await fixture.api.publishAndSettle({ [host]: channelRoute });
    const [agent, kept] = [fixture.visitor.keepAliveAgent(), fixture.visitor.keepAliveAgent()];
    const session = await fixture.visitor.http2(host);
    const statuses = () =>
      Promise.all([
        statusOf(fixture.visitor.secure(host, {}, agent)),
        statusOf(askHttp2(session, host)),
        statusOf(fixture.visitor.secure(LIVE, {}, kept)),
      ]);
    expect(await statuses()).toEqual([200, 200, 200]);
    await fixture.api.publishAndSettle({ [host]: null });
    expect(await statuses()).toEqual([0, 0, 200]);
    await expect(fixture.visitor.handshake(host)).rejects.toThrow('unrecognized name');
  });
});

/** Resolves with the status, or 0 when the connection was refused or broken. */
const statusOf = (asking: Promise<Reply>) => asking.then(({ status }) => status).catch(() => 0);
