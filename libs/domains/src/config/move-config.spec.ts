import { describe, expect, it } from '@jest/globals';
import type { DomainConfig } from '@pets/contracts';
import { findRedirectCycle, withPlatformRedirect } from './domain-config.js';
import { domainsConnectedTo, moveConfigEntries, referencesTo } from './move-config.js';

const HOME = 'home.pets.test';
const AWAY = 'away.pets.test';

type Hop = readonly [from: string, to: string];
const config = (hops: readonly Hop[], primary?: string): DomainConfig => ({
  domains: {
    ...(primary !== undefined && { primary }),
    redirects: hops.map(([from, to]) => ({ from, to, status: 301 })),
  },
});
const home = (hops: readonly Hop[], primary?: string) => ({ config: config(hops, primary), platformHost: HOME });
const away = (hops: readonly Hop[], primary?: string) => ({ config: config(hops, primary), platformHost: AWAY });

describe('referencesTo', () => {
  it('names the primary domain and each redirect from or to the domain, however they are written', () => {
    const given = config(
      [
        ['www.a.com', 'A.com'],
        ['a.com', HOME],
        ['b.com', 'c.com'],
      ],
      'A.COM',
    );
    expect(referencesTo(given, 'a.com')).toEqual([
      'A.COM is the primary domain of the project',
      'www.a.com redirects to A.com (301)',
      `a.com redirects to ${HOME} (301)`,
    ]);
  });

  it('is empty for a domain that nothing names', () => {
    expect(referencesTo(config([['b.com', 'c.com']], 'b.com'), 'a.com')).toEqual([]);
  });
});

describe('domainsConnectedTo', () => {
  it.each<[string, readonly Hop[], string, readonly string[]]>([
    ['a domain alone', [['x.com', 'y.com']], 'a.com', ['a.com']],
    [
      'sources of the same target',
      [
        ['a.com', 'c.com'],
        ['b.com', 'c.com'],
      ],
      'a.com',
      ['a.com', 'b.com', 'c.com'],
    ],
    [
      'a chain from its end',
      [
        ['a.com', 'b.com'],
        ['b.com', 'c.com'],
      ],
      'c.com',
      ['a.com', 'b.com', 'c.com'],
    ],
    [
      'a chain in another order',
      [
        ['b.com', 'c.com'],
        ['a.com', 'b.com'],
      ],
      'c.com',
      ['a.com', 'b.com', 'c.com'],
    ],
    ['names written otherwise', [['A.com', 'Bücher.de']], 'xn--bcher-kva.de', ['a.com', 'xn--bcher-kva.de']],
    [
      'not through the host of the project',
      [
        ['a.com', HOME],
        ['b.com', HOME],
      ],
      'a.com',
      ['a.com'],
    ],
  ])('%s', (_name, hops, name, connected) =>
    expect([...domainsConnectedTo(name, home(hops))].toSorted()).toEqual(connected),
  );
});

describe('moveConfigEntries', () => {
  it('moves redirects in their order behind those of the target, and keeps the others', () => {
    const source = home(
      [
        ['a.com', 'b.com'],
        ['x.com', 'y.com'],
      ],
      'x.com',
    );
    expect(moveConfigEntries(new Set(['a.com', 'b.com']), source, away([['m.com', 'n.com']], 'm.com'))).toEqual({
      source: config([['x.com', 'y.com']], 'x.com'),
      target: config(
        [
          ['m.com', 'n.com'],
          ['a.com', 'b.com'],
        ],
        'm.com',
      ),
    });
  });

  it('leads a redirect to the host of the project to that of the target', () => {
    expect(moveConfigEntries(new Set(['a.com']), home([['a.com', HOME]]), away([])).target).toEqual(
      config([['a.com', AWAY]]),
    );
  });

  it('makes the primary domain that of a target without one, and ends the redirect of the host to it', () => {
    const source = { ...home([], 'A.com'), config: { ...config([], 'A.com'), platformRedirect: true } };
    const moved = moveConfigEntries(new Set(['a.com']), source, away([]));
    expect(moved).toStrictEqual({ source: config([]), target: config([], 'A.com') });
  });

  it('keeps the primary domain of the target', () => {
    const moved = moveConfigEntries(new Set(['a.com']), home([], 'a.com'), away([], 'm.com'));
    expect(moved).toStrictEqual({ source: config([]), target: config([], 'm.com') });
  });

  it('makes no cycle with the redirect of the host of the target', () => {
    const target = { ...away([], 'm.com'), config: { ...config([], 'm.com'), platformRedirect: true } };
    const moved = moveConfigEntries(new Set(['a.com']), home([['a.com', HOME]], 'a.com'), target);
    expect(findRedirectCycle(withPlatformRedirect(moved.target, AWAY))).toBeNull();
  });

  it('changes nothing where nothing names the domain', () => {
    const [source, target] = [home([['x.com', 'y.com']], 'x.com'), away([], 'm.com')];
    const moved = moveConfigEntries(new Set(['a.com']), source, target);
    expect(moved).toStrictEqual({ source: source.config, target: target.config });
  });
});
