import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLinkKeys, signLink } from '@pets/sites';
import { cookieOf, LinkGate, MAX_CHECKS, takeToken } from './link-gate.js';

const NOW = 1_800_000_000;
const HOUR = 3_600;
const keys = createLinkKeys();
const { publicKey } = keys;
const token = signLink(keys, NOW + HOUR);
const refused = { kind: 'page', page: 'link_required' };
const location = 'https://a--site.test:8443';

let nowSeconds = NOW;
let gate: LinkGate;
let connection = { linkChecks: 0 };
beforeEach(() => {
  nowSeconds = NOW;
  gate = new LinkGate({ nowMs: () => nowSeconds * 1_000 + 999, publicHttpsPort: 8443 });
  connection = { linkChecks: 0 };
});

const check = (target: string, cookie?: string, key = publicKey) =>
  gate.check({ header: () => cookie, connection }, { host: 'a--site.test', target }, key);

describe('LinkGate', () => {
  it('exchanges the token of an address for a cookie that ends with the link', () => {
    expect(check(`/docs/?a=1&__preview=${token}&b`)).toEqual({
      kind: 'redirect',
      status: 303,
      location: `${location}/docs/?a=1&b`,
      headers: {
        'set-cookie': `__Host-preview=${token}; Max-Age=${HOUR}; Path=/; Secure; HttpOnly; SameSite=Lax`,
        'referrer-policy': 'no-referrer',
      },
    });
  });

  it.each([
    ['//evil.example/..', '//evil.example/..'],
    ['/\\evil.example', '/\\evil.example'],
    ['/a b\u00e9', '/a%20b%E9'],
    ['/\r\nset-cookie: a', '/%0D%0Aset-cookie:%20a'],
  ])('redirects %j to the same host', (path, to) =>
    expect(check(`${path}?__preview=${token}`)).toMatchObject({ location: location + to }),
  );

  it('lets a request with the cookie read the site', () => {
    expect(check('/', `a=b; __Host-preview=${token}; c=d`)).toBeUndefined();
  });

  it.each<[string, string, string | undefined]>([
    ['nothing', '/', undefined],
    ['other cookies', '/', `preview=${token}; x__Host-preview=${token}`],
    ['two cookies', '/', `__Host-preview=${token}; __Host-preview=${token}`],
    ['a quoted cookie', '/', `__Host-preview="${token}"`],
    ['two tokens', `/?__preview=${token}&__preview=${token}`, undefined],
    ['an invalid token and a valid cookie', '/?__preview=x', `__Host-preview=${token}`],
    ['a token in the path', `/__preview=${token}`, undefined],
    ['a token of another parameter', `/?preview=${token}&a__preview=${token}`, undefined],
    ['an encoded name', `/?%5F_preview=${token}`, undefined],
    ['a truncated token', `/?__preview=${token.slice(0, -1)}`, undefined],
    ['a link of another channel', `/?__preview=${signLink(createLinkKeys(), NOW + HOUR)}`, undefined],
    ['an ended link', `/?__preview=${signLink(keys, NOW)}`, undefined],
    ['8 KB of cookies', '/', '__Host-preview='.repeat(550)],
  ])('refuses %s', (_name, target, cookie) => expect(check(target, cookie)).toEqual(refused));

  it('refuses a remembered token from its end on', () => {
    const cookie = `__Host-preview=${token}`;
    nowSeconds = NOW + HOUR - 1;
    expect(check('/', cookie)).toBeUndefined();
    nowSeconds = NOW + HOUR;
    expect(check('/', cookie)).toEqual(refused);
  });

  it('refuses a remembered token after the route has another key', () => {
    const cookie = `__Host-preview=${token}`;
    expect(check('/', cookie)).toBeUndefined();
    expect(check('/', cookie, createLinkKeys().publicKey)).toEqual(refused);
    expect(check('/', cookie)).toBeUndefined();
  });

  it('verifies a valid token once, for all connections', () => {
    for (let request = 0; request < 100; request++) check('/', `__Host-preview=${token}`);
    expect(connection.linkChecks).toBe(1);
    connection = { linkChecks: 0 };
    expect(check('/', `__Host-preview=${token}`)).toBeUndefined();
    expect(connection.linkChecks).toBe(0);
  });

  it('verifies nothing that is no token or has ended', () => {
    for (const text of ['x', 'A'.repeat(97), signLink(keys, NOW - 1)]) check('/', `__Host-preview=${text}`);
    expect(connection.linkChecks).toBe(0);
  });

  it('verifies only some tokens for a connection, valid or not', () => {
    for (let at = 1; at < MAX_CHECKS; at++) {
      expect(check('/', `__Host-preview=${signLink(keys, NOW + at)}`)).toBeUndefined();
      expect(connection.linkChecks).toBe(at);
    }
    for (let at = 0; at < 10; at++) check('/', `__Host-preview=${signLink(createLinkKeys(), NOW + HOUR)}`);
    expect(connection.linkChecks).toBe(MAX_CHECKS);
    expect(check('/', `__Host-preview=${token}`)).toEqual(refused);
    expect(check('/', `__Host-preview=${signLink(keys, NOW + 1)}`)).toBeUndefined();
  });
});

describe('takeToken', () => {
  it.each([
    ['/?__preview=a', 'a', '/'],
    ['/x?__preview=a&b=c', 'a', '/x?b=c'],
    ['/x?b=c&__preview=a', 'a', '/x?b=c'],
    ['/x?b&__preview=a&c', 'a', '/x?b&c'],
    ['/x??&__preview=a', 'a', '/x??'],
    ['/?__preview=', '', '/'],
    ['/?__preview=a&__preview=b', undefined, '/?__preview=b'],
  ])('finds in %j %j and leaves %j', (target, value, rest) =>
    expect(takeToken(target)).toEqual({ token: value, rest }),
  );

  it.each(['/', '/__preview=a', '/?a', '/?preview=a', '/?a__preview=b', '/?__previewx=a', '/?__preview'])(
    'finds nothing in %j',
    (target) => expect(takeToken(target)).toBeUndefined(),
  );
});

describe('cookieOf', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['__Host-preview=a', 'a'],
    ['b=c;__Host-preview=a', 'a'],
    ['b=c; \t __Host-preview=a ; d', 'a'],
    ['__host-preview=a', undefined],
    ['b=__Host-preview=a', undefined],
    ['b= __Host-preview=a', undefined],
    ['__Host-preview=a; __Host-preview=b', undefined],
  ])('finds in %j %j', (header, value) => expect(cookieOf(header)).toBe(value));
});
