import { describe, expect, it } from '@jest/globals';
import type { DomainConfig, RedirectStatus } from '@pets/contracts';
import {
  canonicalName,
  compileRedirects,
  findRedirectCycle,
  hostsConnectedTo,
  withoutDomain,
  withPlatformRedirect,
} from './domain-config.js';

describe('canonicalName', () => {
  it.each([
    ['Docs.Example.COM.', 'docs.example.com'],
    [' bücher.example.com ', 'xn--bcher-kva.example.com'],
    ['xn--bcher-kva.example.com', 'xn--bcher-kva.example.com'],
    ['Docs.acme.test', 'docs.acme.test'],
    ['no name', 'no name'],
  ])('of %p is %p', (written, name) => expect(canonicalName(written)).toBe(name));
});

describe('withoutDomain', () => {
  const config: DomainConfig = {
    domains: {
      primary: 'Bücher.example.com',
      redirects: [
        { from: 'a.example.com', to: 'bücher.example.com', status: 301 },
        { from: 'BÜCHER.example.com', to: 'c.example.com', status: 302 },
        { from: 'a2.example.com', to: 'c.example.com', status: 307 },
      ],
    },
  };

  it('drops what names the domain, however it is written, and keeps the rest', () => {
    expect(withoutDomain(config, 'xn--bcher-kva.example.com')).toEqual({
      domains: { redirects: [{ from: 'a2.example.com', to: 'c.example.com', status: 307 }] },
    });
  });

  it('keeps the primary domain where it is another one', () => {
    expect(withoutDomain(config, 'a2.example.com')).toEqual({
      domains: { primary: 'Bücher.example.com', redirects: config.domains.redirects.slice(0, 2) },
    });
  });

  it('drops the redirect of the platform’s host with the primary domain alone', () => {
    const redirecting: DomainConfig = { ...config, platformRedirect: true };
    expect(withoutDomain(redirecting, 'a2.example.com')).toMatchObject({ platformRedirect: true });
    expect(withoutDomain(redirecting, 'xn--bcher-kva.example.com')).not.toHaveProperty('platformRedirect');
  });

  it('drops the primary domain that no redirect names', () => {
    const alone: DomainConfig = { domains: { primary: 'a.example.com', redirects: [] } };
    expect(withoutDomain(alone, 'a.example.com')).toStrictEqual({ domains: { redirects: [] } });
  });

  it('makes no primary domain where there was none', () => {
    const { redirects } = config.domains;
    expect(withoutDomain({ domains: { redirects } }, 'a2.example.com')).toStrictEqual({
      domains: { redirects: redirects.slice(0, 2) },
    });
  });

  it('is the same configuration when nothing names it', () => {
    expect(withoutDomain(config, 'other.example.com')).toBe(config);
  });
});

type Hop = [from: string, to: string, status: RedirectStatus];
const config = (...hops: Hop[]): DomainConfig => ({
  domains: { redirects: hops.map(([from, to, status]) => ({ from, to, status })) },
});

describe('findRedirectCycle', () => {
  it.each<[string, Hop[], string[] | null]>([
    ['none', [], null],
    [
      'a chain',
      [
        ['a', 'b', 301],
        ['b', 'c', 301],
      ],
      null,
    ],
    ['to itself', [['a', 'a', 301]], ['a', 'a']],
    [
      'to itself, written otherwise',
      [['Bücher.de', 'xn--bcher-kva.de.', 301]],
      ['xn--bcher-kva.de', 'xn--bcher-kva.de'],
    ],
    [
      'of two',
      [
        ['a', 'b', 301],
        ['b', 'a', 301],
      ],
      ['a', 'b', 'a'],
    ],
    [
      'behind a tail',
      [
        ['x', 'a', 301],
        ['a', 'b', 301],
        ['b', 'a', 301],
      ],
      ['a', 'b', 'a'],
    ],
  ])('%s', (_name, hops, cycle) => expect(findRedirectCycle(config(...hops))).toEqual(cycle));
});

describe('compileRedirects', () => {
  it.each<[string, Hop[], [string, RedirectStatus]]>([
    ['a single hop stays', [['a', 'b', 308]], ['b', 308]],
    [
      'a chain is collapsed',
      [
        ['a', 'b', 301],
        ['b', 'c', 308],
      ],
      ['c', 301],
    ],
    [
      'with a temporary hop later it is temporary',
      [
        ['a', 'b', 301],
        ['b', 'c', 302],
      ],
      ['c', 302],
    ],
    [
      'with a hop later that is temporary and keeps the method it is temporary as well',
      [
        ['a', 'b', 301],
        ['b', 'c', 307],
      ],
      ['c', 307],
    ],
    [
      'a chain is found however its names are written',
      [
        ['a', 'Bücher.de', 301],
        ['xn--bcher-kva.de', 'docs.bücher.de', 301],
      ],
      ['docs.xn--bcher-kva.de', 301],
    ],
    [
      'with a temporary hop first it is temporary',
      [
        ['a', 'b', 307],
        ['b', 'c', 301],
      ],
      ['c', 307],
    ],
  ])('%s', (_name, hops, [to, status]) => expect(compileRedirects(config(...hops)).get('a')).toEqual({ to, status }));

  it.each<[string, string[], [string, RedirectStatus] | undefined]>([
    ['all can be reached', ['b', 'c', 'd'], ['d', 302]],
    ['the last cannot', ['b', 'c'], ['c', 302]],
    ['only the first can', ['b'], ['b', 301]],
    ['only the last can', ['d'], ['d', 302]],
    ['none can', ['a'], undefined],
  ])('ends a chain at the last host that can be reached: %s', (_name, reachable, end) => {
    const chain = config(['a', 'b', 301], ['b', 'c', 302], ['c', 'd', 301]);
    const [to, status] = end ?? [];
    const compiled = compileRedirects(chain, (host) => reachable.includes(host)).get('a');
    expect(compiled).toEqual(end && { to, status });
  });

  it('refuses a cycle, which must never have been stored', () => {
    expect(() => compileRedirects(config(['a', 'a', 301]))).toThrow('cycle');
  });
});

describe('withPlatformRedirect', () => {
  const host = 'acme.pets.example';
  const redirecting = (primary: string, ...hops: Hop[]): DomainConfig => {
    const { domains } = config(...hops);
    return { domains: { ...domains, primary }, platformRedirect: true };
  };

  it('adds a hop from the platform’s host to the primary domain', () => {
    expect(compileRedirects(withPlatformRedirect(redirecting('a'), host)).get(host)).toEqual({ to: 'a', status: 308 });
  });

  it.each<[string, DomainConfig]>([
    ['is not asked for', { domains: { primary: 'a', redirects: [] } }],
    ['is refused', { domains: { primary: 'a', redirects: [] }, platformRedirect: false }],
    ['has nowhere to lead', { domains: { redirects: [] }, platformRedirect: true }],
  ])('changes nothing where that %s', (_name, given) => expect(withPlatformRedirect(given, host)).toBe(given));

  it('makes a cycle of what leads back to the platform’s host', () => {
    const back = withPlatformRedirect(redirecting('a', ['a', 'b', 301], ['b', host, 301]), host);
    expect(findRedirectCycle(back)).toEqual(['a', 'b', host, 'a']);
  });
});

describe('hostsConnectedTo', () => {
  const redirect = (from: string, to: string) => ({ from, to, status: 301 }) as const;
  const config: DomainConfig = {
    domains: {
      redirects: [redirect('a.com', 'B.com'), redirect('b.com', 'c.com'), redirect('x.com', 'y.com')],
    },
  };

  it.each([
    ['a host without redirects', ['z.com'], ['z.com']],
    ['the sources of a target, and the hosts between', ['c.com'], ['a.com', 'b.com', 'c.com']],
    ['the targets of a source', ['a.com'], ['a.com', 'b.com', 'c.com']],
    ['several names', ['b.com', 'y.com'], ['a.com', 'b.com', 'c.com', 'x.com', 'y.com']],
  ])('%s', (_name, names, hosts) => expect([...hostsConnectedTo(names, config)].toSorted()).toEqual(hosts));
});
