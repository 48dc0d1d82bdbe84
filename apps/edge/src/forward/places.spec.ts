import { describe, expect, it } from '@jest/globals';
import { Places, type Evictable, type PlaceOwner } from './places.js';

type Holder = PlaceOwner & Evictable & { readonly name: string };

const evicted: string[] = [];
const holder = (organizationId: string, projectId: string, name = ''): Holder => ({
  organizationId,
  projectId,
  name,
  evict: () => evicted.push(name),
});

describe('the places of a process', () => {
  it('are a quarter for a project, and a half for an organization', () => {
    const places = new Places<Holder>(8);
    const taken = ['p1', 'p1', 'p1', 'p2', 'p2', 'p3'].map((project) => places.take(holder('o1', project)));
    expect(taken).toEqual([true, true, false, true, true, false]);
    expect(places.take(holder('o2', 'p4'))).toBe(true);
  });

  it('are free again after their use', () => {
    const places = new Places<Holder>(4);
    const first = holder('o1', 'p1');
    expect([places.take(first), places.take(first)]).toEqual([true, false]);
    places.release(first);
    expect(places.take(first)).toBe(true);
  });

  it('are taken from the oldest long request of the organization that has most', () => {
    const places = new Places<Holder>(40);
    const long = [holder('o1', 'p1', 'a'), holder('o2', 'p2', 'b'), holder('o2', 'p2', 'c'), holder('o2', 'p3', 'd')];
    places.take(holder('o1', 'p1', 'short'));
    for (const each of long) {
      places.take(each);
      places.becameLong(each);
    }
    expect([places.evictLong(), places.evictLong()]).toEqual([true, true]);
    expect(evicted).toEqual(['b', 'c']);
    expect([places.evictLong(), places.evictLong(), places.evictLong()]).toEqual([true, true, false]);
  });
});
