import { describe, expect, it } from '@jest/globals';
import type { EdgeRoute } from '@pets/contracts/edge-feed';
import fc from 'fast-check';
import { RouteCache } from './route-cache.js';

const site = (certificateId: string): EdgeRoute => ({
  answersChallenges: true,
  serve: { kind: 'site', contentHash: 'ab' },
  certificateId,
});
const pending: EdgeRoute = { answersChallenges: true, serve: null, certificateId: null };
const waiting: EdgeRoute = { ...pending, wildcardUntilCertified: true };
const excluded: EdgeRoute = { answersChallenges: false, serve: { kind: 'excluded' }, certificateId: null };
const wildcard: EdgeRoute = { ...site('wild'), answersChallenges: false };

/** A table in memory, which counts the look-ups. */
class Table {
  readonly rows = new Map<string, EdgeRoute>();
  reads = 0;

  constructor(rows: Readonly<Record<string, EdgeRoute>> = {}) {
    for (const [row, route] of Object.entries(rows)) this.rows.set(row, route);
  }

  find(row: string): EdgeRoute | undefined {
    this.reads += 1;
    return this.rows.get(row);
  }

  readonly close = () => undefined;

  readsOf(step: () => void): number {
    const before = this.reads;
    step();
    return this.reads - before;
  }
}

describe('the row that answers for a host', () => {
  const table = new Table({
    '*.wild.test': wildcard,
    'exact.wild.test': site('exact'),
    'pending.wild.test': pending,
    'excluded.wild.test': excluded,
    'waiting.wild.test': waiting,
    'suspended.wild.test': { ...waiting, serve: { kind: 'suspended' } },
    'certified.wild.test': { ...site('own'), wildcardUntilCertified: true },
    'waiting.test': waiting,
    'b.a.wild.test': site('deep'),
  });
  const cache = new RouteCache(table);

  it.each([
    ['exact.wild.test', 'exact.wild.test'],
    ['pending.wild.test', 'pending.wild.test'],
    ['suspended.wild.test', 'suspended.wild.test'],
    ['certified.wild.test', 'certified.wild.test'],
    ['waiting.test', 'waiting.test'],
    ['any.wild.test', '*.wild.test'],
    ['waiting.wild.test', '*.wild.test'],
    ['a.wild.test', '*.wild.test'],
    ['b.a.wild.test', 'b.a.wild.test'],
    ['c.a.wild.test', undefined],
    ['wild.test', undefined],
    ['excluded.wild.test', undefined],
    ['unknown.test', undefined],
  ])('for %s is %s, also when it is asked for again', (host, row) => {
    expect([cache.find(host)?.row, cache.find(host)?.row]).toEqual([row, row]);
  });

  it('takes only its challenges from a row that waits for its certificate', () =>
    expect(cache.find('waiting.wild.test')).toEqual({
      row: '*.wild.test',
      route: { ...wildcard, answersChallenges: true },
      isInterim: true,
    }));
});

describe('the cache', () => {
  it('needs no look-up for hosts below a wildcard that are asked for again', () => {
    const table = new Table({ '*.wild.test': wildcard });
    const cache = new RouteCache(table);
    expect(table.readsOf(() => cache.find('a.wild.test'))).toBe(2);
    expect(table.readsOf(() => cache.find('a.wild.test'))).toBe(0);
    expect(table.readsOf(() => cache.find('b.wild.test'))).toBe(1);
  });

  it('takes two look-ups for an unknown host, and keeps nothing of it', () => {
    const table = new Table({ 'hot.test': site('c') });
    const cache = new RouteCache(table, 1);
    cache.find('hot.test');
    for (let i = 0; i < 100; i += 1) expect(table.readsOf(() => cache.find(`${i}.unknown.test`))).toBe(2);
    expect(table.readsOf(() => cache.find('hot.test'))).toBe(0);
  });

  it('keeps a bounded number of hosts of a wildcard, whose hosts evict no row and no host of another', () => {
    const table = new Table({ '*.wild.test': wildcard, '*.other.test': wildcard, 'hot.test': site('c') });
    const cache = new RouteCache(table, 3);
    const hot = ['hot.test', 'a.other.test'];
    for (const host of hot) cache.find(host);
    const labels = Array.from({ length: 50_000 }, (_, i) => `l${i}.wild.test`);
    for (const host of labels) cache.find(host);
    expect(table.readsOf(() => hot.forEach((host) => cache.find(host)))).toBe(0);
    const kept = labels.filter((host) => table.readsOf(() => cache.find(host)) === 0);
    expect(kept.length).toBeLessThan(5_000);
  });

  it('answers as the table does after any changes, whatever was asked before', () => {
    const hosts = ['a.wild.test', 'b.wild.test', 'c.a.wild.test', 'wild.test', 'a.test'];
    const rows = [...hosts, '*.wild.test', '*.test', '*.a.wild.test'];
    const route = fc.constantFrom(site('c1'), site('c2'), pending, waiting, excluded, undefined);
    const change = fc.dictionary(fc.constantFrom(...rows), route);
    const step = fc.oneof(change, fc.constantFrom(...hosts));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.integer({ min: 1, max: 3 }), (steps, maxRows) => {
        const table = new Table();
        const cache = new RouteCache(table, maxRows);
        for (const current of steps) {
          if (typeof current === 'string') {
            expect(cache.find(current)).toEqual(new RouteCache(table).find(current));
            continue;
          }
          for (const [row, is] of Object.entries(current)) {
            if (is === undefined) table.rows.delete(row);
            else table.rows.set(row, is);
          }
          cache.dropRows(Object.keys(current));
        }
      }),
    );
  });
});
