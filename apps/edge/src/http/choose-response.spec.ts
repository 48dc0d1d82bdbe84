import { describe, expect, it } from '@jest/globals';
import { PLATFORM_CERTIFICATE, type EdgeRoute } from '@pets/contracts/edge-feed';
import { choosePlainResponse, chooseSecureResponse, parseTarget, type RequestFacts } from './choose-response.js';
import { MAX_CHECKS, type Visit } from './link-gate.js';

const routes: Record<string, EdgeRoute> = {
  'site.test': { answersChallenges: true, serve: { kind: 'site', contentHash: 'ab12' }, certificateId: 'c1' },
  'platform.test': {
    answersChallenges: false,
    serve: { kind: 'site', contentHash: 'ab12' },
    certificateId: PLATFORM_CERTIFICATE,
  },
  'moved.test': {
    answersChallenges: true,
    serve: { kind: 'redirect', to: 'site.test', status: 307 },
    certificateId: 'c2',
  },
  'a.old.test': {
    answersChallenges: false,
    serve: { kind: 'redirect', to: '*.new.test', status: 308 },
    certificateId: 'c6',
  },
  'issuing.test': { answersChallenges: true, serve: null, certificateId: null },
  'named.test': { answersChallenges: true, challengeThumbprint: 'NAMED', serve: null, certificateId: null },
  'idle.test': { answersChallenges: true, serve: null, certificateId: 'c3' },
  'early.test': { answersChallenges: true, serve: { kind: 'site', contentHash: 'ab12' }, certificateId: null },
  'suspended.test': { answersChallenges: false, serve: { kind: 'suspended' }, certificateId: 'c5' },
  'excluded.test': { answersChallenges: false, serve: { kind: 'excluded' }, certificateId: null },
  'protected.test': {
    answersChallenges: true,
    serve: { kind: 'site', contentHash: 'ab12', linkKey: 'KEY' },
    certificateId: 'c7',
    hsts: 'max-age=60',
  },
};
const refused = { kind: 'page', page: 'link_required' } as const;
const edge = {
  ...{ find: (host: string) => routes[host], hasLease: true, thumbprint: 'THUMB', publicHttpsPort: 8443 },
  links: {
    check: (visit: Visit, _asked: object, key: string) => (visit.header('cookie') === key ? undefined : refused),
  },
};
const get = (host: string, target = '/', method = 'GET', cookie?: string): RequestFacts & Visit => ({
  ...{ method, target, hosts: [host] },
  header: () => cookie,
  connection: { linkChecks: 0 },
});
const page = (name: string) => ({ kind: 'page', page: name });
const token = 'abcdefgh_-ABCDEFGH01';
const challenge = `/.well-known/acme-challenge/${token}`;

describe('choosePlainResponse', () => {
  it.each([
    [
      'a site goes to HTTPS',
      get('Site.test:8080', '/a?b'),
      { kind: 'redirect', status: 308, location: 'https://site.test:8443/a?b' },
    ],
    [
      'a protected site goes there with its query',
      get('protected.test', '/a?__preview=b'),
      { kind: 'redirect', status: 308, location: 'https://protected.test:8443/a?__preview=b' },
    ],
    ['a challenge of a protected site', get('protected.test', challenge), { kind: 'text', text: `${token}.THUMB` }],
    [
      'a redirect answers at once',
      get('moved.test', '/a?b'),
      { kind: 'redirect', status: 307, location: 'https://site.test:8443/a?b' },
    ],
    [
      'a redirect that keeps the label',
      get('A.old.test:8080', '/a?b'),
      { kind: 'redirect', status: 308, location: 'https://a.new.test:8443/a?b' },
    ],
    ['a name that is being issued waits', get('issuing.test'), page('certificate_pending')],
    ['a site without a certificate waits', get('early.test'), page('certificate_pending')],
    ['a name with a certificate and nothing published', get('idle.test'), page('not_published')],
    ['an unknown host', get('other.test'), page('unknown_host')],
    ['a name that is excluded from a wildcard', get('excluded.test'), page('unknown_host')],
    ['a suspended host', get('suspended.test'), page('suspended')],
    ['a challenge of a suspended host', get('suspended.test', challenge), page('not_found')],
    ['an address instead of a name', get('127.0.0.1:8080'), page('unknown_host')],
    ['an IPv6 literal', get('[::1]'), page('unknown_host')],
    ['no host', { ...get(''), hosts: [] }, page('bad_request')],
    ['two hosts', { ...get(''), hosts: ['site.test', 'site.test'] }, page('bad_request')],
    ['no path', get('site.test', '*'), page('bad_request')],
    ['a challenge', get('issuing.test', challenge), { kind: 'text', text: `${token}.THUMB` }],
    ['a challenge of a host that redirects', get('moved.test', challenge), { kind: 'text', text: `${token}.THUMB` }],
    ['a challenge of an unknown host', get('other.test', challenge), page('not_found')],
    ['a challenge of a host that answers none', get('platform.test', challenge), page('not_found')],
    ['a token that is too short', get('issuing.test', '/.well-known/acme-challenge/short'), page('not_found')],
    ['a token with a query', get('issuing.test', `${challenge}?a`), page('not_found')],
    ['a token that climbs', get('issuing.test', `/.well-known/acme-challenge/../${token}`), page('not_found')],
    [
      'a token that is too long',
      get('issuing.test', `/.well-known/acme-challenge/${'a'.repeat(257)}`),
      page('not_found'),
    ],
    ['a challenge that is written', get('issuing.test', challenge, 'POST'), page('method_not_allowed')],
  ])('%s', (_name, request, answer) => expect(choosePlainResponse(request, edge)).toEqual(answer));

  it('blames no domain while the edge is out of contact', () => {
    const alone = { ...edge, find: () => undefined, hasLease: false };
    expect(choosePlainResponse(get('site.test'), alone)).toEqual(page('out_of_contact'));
  });

  it('answers a challenge of a route that names a thumbprint with that one', () => {
    const answer = { kind: 'text', text: `${token}.NAMED` };
    expect(choosePlainResponse(get('named.test', challenge), edge)).toEqual(answer);
    expect(choosePlainResponse(get('named.test', challenge), { ...edge, thumbprint: null })).toEqual(answer);
  });

  it('answers no challenge before there is an account', () => {
    expect(choosePlainResponse(get('issuing.test', challenge), { ...edge, thumbprint: null })).toEqual(
      page('not_found'),
    );
  });
});

describe('chooseSecureResponse', () => {
  const gone = { ...page('misdirected'), endsConnection: true };
  const index = { kind: 'site', contentHash: 'ab12', target: '/', host: 'site.test', publicHttpsPort: 8443 };

  const restricted = { isPrivate: true, endsConnection: false, hsts: 'max-age=60' };

  it.each<[string, RequestFacts & Visit, string | undefined, object]>([
    [
      'a protected site with a link',
      get('protected.test', '/', 'GET', 'KEY'),
      'protected.test',
      { ...index, host: 'protected.test', ...restricted },
    ],
    [
      'a write to a protected site with a link',
      get('protected.test', '/', 'POST', 'KEY'),
      'protected.test',
      { ...page('method_not_allowed'), ...restricted },
    ],
    ['a protected site without one', get('protected.test'), 'protected.test', { ...refused, ...restricted }],
    ['a write to it', get('protected.test', '/', 'PUT'), 'protected.test', { ...refused, ...restricted }],
    ['a challenge over TLS', get('protected.test', challenge), 'protected.test', { ...refused, ...restricted }],
    [
      'a protected site on a connection that has caused too many checks',
      { ...get('protected.test'), connection: { linkChecks: MAX_CHECKS } },
      'protected.test',
      { ...refused, ...restricted, endsConnection: true },
    ],
    ['a site', get('site.test'), 'site.test', index],
    ['a site by another spelling of its name', get('SITE.test.:8443'), 'site.test', index],
    ['its headers', get('site.test', '/', 'HEAD'), 'site.test', index],
    [
      'a redirect',
      get('moved.test', '//evil.com/..'),
      'moved.test',
      { kind: 'redirect', status: 307, location: 'https://site.test:8443//evil.com/..' },
    ],
    [
      'a redirect that keeps the label',
      get('a.old.test', '/a'),
      'a.old.test',
      { kind: 'redirect', status: 308, location: 'https://a.new.test:8443/a' },
    ],
    ['another name than that of the handshake', get('moved.test'), 'site.test', page('misdirected')],
    ['a handshake without a name', get('site.test'), undefined, page('misdirected')],
    ['a removed host on an open connection', get('gone.test'), 'gone.test', gone],
    ['a host whose certificate is gone', get('early.test'), 'early.test', gone],
    ['a write', get('site.test', '/', 'POST'), 'site.test', page('method_not_allowed')],
    ['a suspended host', get('suspended.test', '/a'), 'suspended.test', page('suspended')],
    ['a write to a suspended host', get('suspended.test', '/', 'POST'), 'suspended.test', page('suspended')],
    ['nothing to serve', get('idle.test'), 'idle.test', page('not_published')],
    ['no path', get('site.test', 'x'), 'site.test', page('bad_request')],
    ['two hosts', { ...get(''), hosts: ['site.test', 'moved.test'] }, 'site.test', page('bad_request')],
  ])('%s', (_name, request, servername, answer) =>
    expect(chooseSecureResponse(request, servername, edge)).toEqual(answer),
  );
});

describe('parseTarget', () => {
  it.each([
    ['/', '/'],
    ['/a?b=c', '/a?b=c'],
    ['//evil.com/%2f..', '//evil.com/%2f..'],
    ['https://a.test/x?y', '/x?y'],
    ['HTTP://A.test', '/'],
    ['https://a.test?y', '/?y'],
    ['https://b.test/x', undefined],
    ['https://a.test@evil.com/', undefined],
    ['*', undefined],
    ['a.test:443', undefined],
    ['', undefined],
  ])('%j is %j', (target, expected) => expect(parseTarget(target, 'a.test')).toBe(expected));
});
