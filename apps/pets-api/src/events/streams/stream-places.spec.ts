import { describe, expect, it } from '@jest/globals';
import { StreamPlaces, type Admission } from './stream-places.js';

/** Admits as a server does: an organization that has to give one up loses it. */
function fill(places: StreamPlaces, organizationId: string, times: number, limit = 1_000): Admission[] {
  return Array.from({ length: times }, () => {
    const admission = places.admit(organizationId, limit);
    if (admission.kind === 'replace') places.release(admission.organizationId);
    if (admission.kind === 'admit' || admission.kind === 'replace') places.take(organizationId);
    return admission;
  });
}
const kinds = (admissions: readonly Admission[]) => admissions.map(({ kind }) => kind);

describe('the streams that a server can keep open', () => {
  it('are given to an organization up to its limit', () => {
    const places = new StreamPlaces(100);
    expect(kinds(fill(places, 'a', 3, 2))).toEqual(['admit', 'admit', 'limit_reached']);
  });

  it('are never all given to one organization, whatever its limit', () => {
    const places = new StreamPlaces(10);
    expect(kinds(fill(places, 'a', 6))).toEqual([...Array.from({ length: 5 }, () => 'admit'), 'limit_reached']);
    expect(places.admit('a', 1_000)).toEqual({ kind: 'limit_reached', limit: 5 });
  });

  it('are shared: when all are open, the organization with the most gives one to another that has less than its share', () => {
    const places = new StreamPlaces(10);
    fill(places, 'a', 5);
    fill(places, 'b', 5);
    expect(kinds(fill(places, 'c', 4))).toEqual(['replace', 'replace', 'replace', 'full']);
    expect(['a', 'b', 'c'].map((id) => places.countOf(id)).sort()).toEqual([3, 3, 4]);
    expect(places.admit('a', 1_000).kind).toBe('full');
  });

  it.each([2, 3, 7, 12])('have room for a newcomer however many others there are: %d', (others) => {
    const places = new StreamPlaces(24);
    for (let nth = 0; nth < others; nth++) fill(places, `organization ${nth}`, 24);
    expect(['admit', 'replace']).toContain(fill(places, 'newcomer', 1)[0]?.kind);
    expect(places.total).toBeLessThanOrEqual(24);
  });

  it('are full when each organization has one', () => {
    const places = new StreamPlaces(3);
    for (const id of ['a', 'b', 'c']) fill(places, id, 1);
    expect(places.admit('d', 1_000).kind).toBe('full');
  });

  it('forget an organization with its last stream', () => {
    const places = new StreamPlaces(1);
    fill(places, 'a', 1);
    places.release('a');
    expect([places.total, places.admit('b', 1).kind]).toEqual([0, 'admit']);
  });
});
