import { describe, expect, it } from '@jest/globals';
import { type Admission, StreamQuota } from './event-streams.service.js';

/** Opens streams as a server does: closes a stream of another organization where the quota says so. */
function open(quota: StreamQuota, organizationId: string, times: number, limit = 1_000): Admission[] {
  return Array.from({ length: times }, () => {
    const admission = quota.admit(organizationId, limit);
    if (admission.kind === 'replace') quota.release(admission.organizationId);
    if (admission.kind === 'admit' || admission.kind === 'replace') quota.acquire(organizationId);
    return admission;
  });
}
const kinds = (admissions: readonly Admission[]) => admissions.map(({ kind }) => kind);

describe('StreamQuota', () => {
  it('admits streams of an organization up to its limit', () => {
    const quota = new StreamQuota(100);
    expect(kinds(open(quota, 'a', 3, 2))).toEqual(['admit', 'admit', 'limit_reached']);
  });

  it('never gives one organization more than half, whatever its limit', () => {
    const quota = new StreamQuota(10);
    expect(kinds(open(quota, 'a', 6))).toEqual([...Array.from({ length: 5 }, () => 'admit'), 'limit_reached']);
    expect(quota.admit('a', 1_000)).toEqual({ kind: 'limit_reached', limit: 5 });
  });

  it('replaces a stream of the largest organization when all are open and another has less than its share', () => {
    const quota = new StreamQuota(10);
    open(quota, 'a', 5);
    open(quota, 'b', 5);
    expect(kinds(open(quota, 'c', 4))).toEqual(['replace', 'replace', 'replace', 'full']);
    expect(['a', 'b', 'c'].map((id) => quota.countOf(id)).sort()).toEqual([3, 3, 4]);
    expect(quota.admit('a', 1_000).kind).toBe('full');
  });

  it.each([2, 3, 7, 12])('has room for a new organization beside %d others', (others) => {
    const quota = new StreamQuota(24);
    for (let nth = 0; nth < others; nth++) open(quota, `organization ${nth}`, 24);
    expect(['admit', 'replace']).toContain(open(quota, 'newcomer', 1)[0]?.kind);
    expect(quota.total).toBeLessThanOrEqual(24);
  });

  it('is full when each organization has one stream', () => {
    const quota = new StreamQuota(3);
    for (const id of ['a', 'b', 'c']) open(quota, id, 1);
    expect(quota.admit('d', 1_000).kind).toBe('full');
  });

  it('forgets an organization with its last stream', () => {
    const quota = new StreamQuota(1);
    open(quota, 'a', 1);
    quota.release('a');
    expect(quota.total).toBe(0);
    expect(quota.admit('b', 1).kind).toBe('admit');
  });
});
