import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { RouteLookup } from '../src/feed/route-lookup.js';
import { RouteCache, RouteReader } from '../src/store/route-cache.js';
import { position, replaceTable, rowsOf, siteOf, StoreFixture } from './store-fixture.js';

let fixture: StoreFixture;

beforeEach(async () => (fixture = await StoreFixture.build()));
afterEach(() => fixture.tearDown());

it('drops every host that a changed row answered', async () => {
  const store = await fixture.load({ 'a.test': siteOf('c1'), 'b.test': siteOf('c2') });
  const cache = new RouteCache(new RouteReader(store.file));
  try {
    expect(cache.find('a.test')).toBe(cache.find('a.test'));
    const other = cache.find('b.test');
    const outcome = fixture.apply({ 'a.test': siteOf('c3') });
    expect(cache.find('a.test')?.route).toEqual(siteOf('c1'));
    if (outcome.kind === 'applied') cache.dropRows(outcome.change.hosts);
    expect(cache.find('a.test')).toEqual({ row: 'a.test', route: siteOf('c3'), isInterim: false });
    expect(cache.find('b.test')).toBe(other);
  } finally {
    cache.close();
  }
});

it('answers for hosts below a wildcard, and never their challenges', async () => {
  const store = await fixture.load({ '*.wild.test': siteOf('c1') });
  const cache = new RouteCache(new RouteReader(store.file));
  try {
    expect(cache.find('a.wild.test')?.route).toEqual({ ...siteOf('c1'), answersChallenges: false });
    const outcome = fixture.apply({ '*.wild.test': null, 'a.wild.test': siteOf('c2') });
    if (outcome.kind === 'applied') cache.dropRows(outcome.change.hosts);
    expect([cache.find('a.wild.test')?.route, cache.find('b.wild.test')]).toEqual([siteOf('c2'), undefined]);
  } finally {
    cache.close();
  }
});

it('keeps the hosts that are asked for, however many unknown ones are asked for', async () => {
  const store = await fixture.load({ 'a.test': siteOf('c1'), 'b.test': siteOf('c2'), 'c.test': siteOf('c3') });
  const cache = new RouteCache(new RouteReader(store.file), 2);
  try {
    const [hot, cold] = [cache.find('a.test'), cache.find('b.test')];
    for (let i = 0; i < 100; i += 1) expect(cache.find(`unknown-${i}.test`)).toBeUndefined();
    expect(cache.find('b.test')).toBe(cold);
    expect(cache.find('a.test')).toBe(hot);
    cache.find('c.test');
    expect(cache.find('a.test')).toBe(hot);
    expect(cache.find('b.test')).not.toBe(cold);
    fixture.apply({ 'new.test': siteOf('c9') });
    expect(cache.find('new.test')?.route).toEqual(siteOf('c9')); // that it was unknown is not remembered
  } finally {
    cache.close();
  }
});

it('answers from another table after it was replaced', async () => {
  const store = await fixture.load({ 'a.test': siteOf('c1') });
  const routes = new RouteLookup({ leaseMs: 60_000, now: Date.now, onDamaged: () => undefined });
  try {
    routes.setContact(Date.now());
    routes.replaceTable(store.file, null);
    routes.find('a.test');
    await replaceTable(store, position, [rowsOf({ 'b.test': siteOf('c2') })]);
    routes.replaceTable(store.file, null);
    expect([routes.find('a.test'), routes.find('b.test')]).toEqual([undefined, siteOf('c2')]);
  } finally {
    routes.close();
  }
});
