import { describe, expect, it } from '@jest/globals';
import { PLATFORM_CERTIFICATE, type EdgeOrigin, type EdgeRoute, type TrailingSlash } from '@pets/contracts';
import {
  addHsts,
  addSince,
  compileRoutes,
  type RoutableDomain,
  type RoutableOrigin,
  type RoutableProject,
} from './compile-routes.js';

const route = (certificateId: string): EdgeRoute => ({
  answersChallenges: true,
  serve: { kind: 'site', contentHash: 'ab' },
  certificateId,
});
const routes = new Map([
  ['acme.pets.example', route(PLATFORM_CERTIFICATE)],
  ['example.com', route('c1')],
]);
const headers = (...settings: Parameters<typeof addHsts>) => [...addHsts(...settings).values()].map(({ hsts }) => hsts);

describe('addHsts', () => {
  it('changes nothing where it is not configured', () => expect(addHsts(routes, null)).toBe(routes));

  it.each([
    [{ maxAge: 300, includeSubDomains: false, preload: false }, ['max-age=300', 'max-age=300']],
    [{ maxAge: 0, includeSubDomains: true, preload: false }, ['max-age=0', 'max-age=0; includeSubDomains']],
    [
      { maxAge: 31_536_000, includeSubDomains: true, preload: true },
      ['max-age=31536000', 'max-age=31536000; includeSubDomains; preload'],
    ],
  ])('%j: the full header for the owner’s domain, only max-age for the platform host', (hsts, expected) => {
    expect(headers(routes, hsts)).toEqual(expected);
  });
});

describe('the routes of a project', () => {
  const domain = (name: string, more: Partial<RoutableDomain> = {}): RoutableDomain => ({
    name,
    certificateId: `certificate of ${name}`,
    certificateEndsAt: new Date('2026-03-01'),
    suspensions: [],
    ...more,
  });
  const compile = (
    domains: readonly RoutableDomain[],
    trailingSlash: TrailingSlash = 'auto',
    more: Partial<RoutableProject> = {},
  ) =>
    compileRoutes(
      {
        slug: 'acme',
        platformDomain: 'pets.example',
        contentHash: 'ab',
        channels: [],
        origins: [],
        trailingSlash,
        config: {
          platformRedirect: true,
          domains: { primary: 'example.com', redirects: [{ from: 'old.example', to: 'example.com', status: 301 }] },
        },
        domains,
        suspensions: [],
        ...more,
      },
      new Date('2026-01-01'),
    );

  it.each([
    ['auto', {}],
    ['always', { trailingSlash: 'always' }],
    ['never', { trailingSlash: 'never' }],
  ] as const)('say how addresses end: %s', (trailingSlash, more) => {
    const { serve } = compile([domain('example.com')], trailingSlash).get('example.com') ?? {};
    expect(serve).toEqual({ kind: 'site', contentHash: 'ab', ...more });
  });

  it('forward to an application, which is told about each domain what its origin asks for', () => {
    const serve: EdgeOrigin = {
      kind: 'origin',
      ...{ organizationId: 'o', projectId: 'p', url: 'https://app.example.net', maxConnections: 5, test: 1 },
      timeouts: { connect: 1, answer: 2, idle: 3 },
    };
    const labels = new Map([
      ['example.com', { domainId: 'd', externalId: '42', metadata: { tier: 'gold', note: 'x' } }],
    ]);
    const compiled = (isServing: boolean) =>
      compileRoutes(
        {
          ...{
            slug: 'acme',
            platformDomain: 'pets.example',
            contentHash: 'ab',
            trailingSlash: 'auto',
            suspensions: [],
            channels: [],
          },
          config: { domains: { redirects: [] } },
          domains: [domain('example.com')],
          origins: [{ id: 'o1', domain: null, serve, isServing, metadataKeys: ['tier'] }],
          labels,
        },
        new Date('2026-01-01'),
      );
    const row = { answersChallenges: false, serve, certificateId: null };
    expect(compiled(false).get('example.com')?.serve?.kind).toBe('site');
    expect(compiled(false).get('origin:o1')).toEqual(row);
    const routes = compiled(true);
    expect(routes.get('origin:o1')).toEqual(row);
    expect(routes.get('acme.pets.example')?.serve).toEqual({ kind: 'application', origin: 'o1' });
    const told = { domainId: 'd', externalId: '42', metadata: '{"tier":"gold"}' };
    expect(routes.get('example.com')?.serve).toEqual({ kind: 'application', origin: 'o1', ...told });
    expect(addHsts(routes, { maxAge: 1, includeSubDomains: false, preload: false }).get('origin:o1')).toEqual(row);
  });

  it('forward a domain to its own application, before its channel and the application of the project', () => {
    const originOf = (id: string, name: string | null, isServing: boolean): RoutableOrigin => ({
      ...{ id, domain: name, isServing, metadataKeys: [id] },
      serve: {
        ...{ kind: 'origin', organizationId: 'o', projectId: 'p', url: `https://${id}.example.net`, maxConnections: 5 },
        ...{ timeouts: { connect: 1, answer: 2, idle: 3 }, test: 1 },
      },
    });
    const names = ['own.example.com', '*.wild.example', 'tested.example', 'old.example', 'other.example'] as const;
    const origins = [
      originOf('shared', null, true),
      originOf('own', 'own.example.com', true),
      originOf('wild', '*.wild.example', true),
      originOf('tested', 'tested.example', false),
      originOf('unused', 'old.example', true),
    ];
    const labels = new Map(
      names.map((name) => [name, { domainId: name, externalId: null, metadata: { own: '1', shared: '2' } }]),
    );
    const routes = compile(
      names.map((name) => domain(name, { channel: name === 'own.example.com' ? 'beta' : null })),
      'auto',
      {
        ...{ origins, labels, channels: [{ name: 'beta', contentHash: 'cd' }] },
        config: { domains: { redirects: [{ from: 'old.example', to: 'other.example', status: 301 }] } },
      },
    );
    const application = (origin: string, domainId: string, metadata?: string) => ({
      ...{ kind: 'application', origin, domainId },
      ...(metadata !== undefined && { metadata }),
    });
    expect(names.map((name) => routes.get(name)?.serve)).toEqual([
      application('own', 'own.example.com', '{"own":"1"}'),
      application('wild', '*.wild.example'),
      application('shared', 'tested.example', '{"shared":"2"}'),
      { kind: 'redirect', to: 'other.example', status: 301 },
      application('shared', 'other.example', '{"shared":"2"}'),
    ]);
    for (const { id, serve } of origins) expect(routes.get(`origin:${id}`)).toMatchObject({ serve });
    const suspensions = [{ cause: 'operator', scope: 'domain', reason: '', since: '', renewsUntil: null }] as const;
    const suspended = compile([domain('own.example.com', { suspensions })], 'auto', { origins });
    expect(suspended.get('own.example.com')?.serve).toEqual({ kind: 'suspended' });
  });

  it('lead to a name whose DNS points here, and not to one that is only prepared', () => {
    const live = compile([domain('example.com'), domain('old.example')]);
    const redirect = { kind: 'redirect', to: 'example.com' };
    expect([live.get('acme.pets.example')?.serve, live.get('old.example')?.serve]).toMatchObject([redirect, redirect]);

    const prepared = compile([domain('example.com', { isPrepared: true }), domain('old.example')]);
    expect(prepared.get('acme.pets.example')?.serve?.kind).toBe('site');
    expect(prepared.get('old.example')?.serve?.kind).toBe('site');
    expect(prepared.get('example.com')).toMatchObject({ isPrepared: true, serve: { kind: 'site' } });
    expect(prepared.get('old.example')).not.toHaveProperty('isPrepared');
  });

  describe('with a channel', () => {
    const channels = [{ name: 'beta', contentHash: 'cd' }];
    const host = 'beta--acme.pets.example';
    const content = { kind: 'site', contentHash: 'cd', trailingSlash: 'never' };

    it('have a host for it, which is not listed, and which the primary domain does not take', () => {
      const routes = compile([domain('example.com')], 'never', { channels });
      expect(routes.get(host)).toEqual({
        answersChallenges: false,
        serve: content,
        certificateId: PLATFORM_CERTIFICATE,
        noindex: true,
      });
      expect(routes.get('acme.pets.example')).toMatchObject({ serve: { kind: 'redirect', to: 'example.com' } });
      expect(addHsts(routes, { maxAge: 5, includeSubDomains: true, preload: false }).get(host)?.hsts).toBe('max-age=5');
    });

    it.each([
      ['operator', 'project', 'suspended'],
      ['operator', 'organization', 'suspended'],
      ['plan', 'organization', 'site'],
    ] as const)('are suspended as the platform host is: by %s, the %s', (cause, scope, kind) => {
      const suspensions = [{ cause, scope, reason: '', since: '', renewsUntil: null }];
      const routes = compile([], 'auto', { channels, suspensions });
      expect(routes.get(host)).toMatchObject({ serve: { kind }, noindex: true });
    });

    it('serve it at a domain that is bound to it, unless that redirects', () => {
      const bound = { channel: 'beta' };
      const routes = compile([domain('example.com', bound), domain('old.example', bound)], 'never', { channels });
      expect(routes.get('example.com')?.serve).toEqual(content);
      expect(routes.get('example.com')).not.toHaveProperty('noindex');
      expect(routes.get('old.example')?.serve).toMatchObject({ kind: 'redirect', to: 'example.com' });
    });

    it('need no active deployment', () => {
      const routes = compile([domain('example.com', { channel: 'beta' })], 'auto', { channels, contentHash: null });
      expect([...routes.keys()]).toEqual([host, 'example.com']);
      expect(routes.get('example.com')).toMatchObject({ serve: { contentHash: 'cd' } });
    });
  });
});

describe('addSince', () => {
  const site = (contentHash: string, since?: number): EdgeRoute => ({
    ...route('c1'),
    serve: { kind: 'site', contentHash, ...(since !== undefined && { since }) },
  });
  const now = new Date('2026-03-01T00:00:00.900Z');
  const seconds = Math.floor(now.getTime() / 1_000);
  const sinceOf = (next: EdgeRoute, before?: EdgeRoute) => {
    const { serve } =
      addSince(new Map([['a.test', next]]), new Map(before === undefined ? [] : [['a.test', before]]), now).get(
        'a.test',
      ) ?? {};
    return serve?.kind === 'site' ? serve.since : undefined;
  };

  it.each([
    ['a new host', site('ab'), undefined, seconds],
    ['the same content', site('ab'), site('ab', 7), 7],
    ['other content', site('cd'), site('ab', 7), seconds],
    ['an earlier deployment', site('ab'), site('cd', seconds - 1), seconds],
    ['a host that was suspended', site('ab'), { ...site('ab'), serve: { kind: 'suspended' } }, seconds],
    ['a redirect', { ...site('ab'), serve: { kind: 'redirect', to: 'b.test', status: 308 } }, undefined, undefined],
  ] as const)('of %s', (_name, next, before, since) => expect(sinceOf(next, before)).toBe(since));
});
