import { describe, expect, it } from '@jest/globals';
import type { SetupDomain } from '@pets/contracts';
import { copiesUntil, followRecords, formerLines, noFormerRecords } from './former-records.js';
import { exampleIssue } from './issue.example.js';
import { exampleDomain } from './setup.example.js';
import { sightingText } from './zone-form.js';

const [name, value] = ['docs.example.com', '203.0.113.7'];
const seen = (ttl: number, resolver: string) => ({ type: 'A', name, value, ttl, resolver });
const domain = (dns: Partial<SetupDomain['dns']>, parts: Partial<SetupDomain> = {}) =>
  exampleDomain({ ...parts, dns: { ...exampleDomain().dns, checkedAt: '2026-11-02T09:10:00.000Z', ...dns } });

/** A name with an old address, which is to be deleted. */
const before = domain(
  {
    observed: [seen(300, '192.0.2.53:53'), seen(3600, '192.0.2.54:53')],
    conflicts: [{ type: 'A', name, value, action: 'remove' }],
  },
  { issues: [exampleIssue()] },
);
const live = domain({ checkedAt: '2026-11-02T09:20:00.000Z' }, { state: 'live' });
const known = followRecords(noFormerRecords, before);

describe('records that had to go', () => {
  it('are in no further line while they are to be deleted', () => expect(formerLines(known, before)).toEqual([]));

  it.each([
    ['gone from all', [], 'Gone', true],
    ['there at one', [seen(60, '192.0.2.54:53')], 'Gone at 1 of 2 name servers, at the last by 14:05', false],
  ])('have a line when they are %s of the name servers', (_case, observed, text, isFound) => {
    const issues = [exampleIssue({ code: 'propagating', evidence: { stale: ['192.0.2.53:53', '192.0.2.54:53'] } })];
    const [line] = formerLines(known, domain({ observed }, { issues }));
    expect(line?.record.value).toBe(value);
    expect(line && sightingText(line, '14:05')).toEqual({ text, isFound });
  });

  it('are copied until the longest TTL has passed since the check that found the switch', () => {
    const switched = followRecords(known, live);
    expect(copiesUntil(switched)).toBe('2026-11-02T10:20:00.000Z');
    const later = domain({ checkedAt: '2026-11-02T09:30:00.000Z' }, { state: 'live' });
    expect(copiesUntil(followRecords(switched, later))).toBe('2026-11-02T10:20:00.000Z');
  });

  it.each([
    ['before the switch', followRecords(known, before)],
    ['while no name server answers', followRecords(known, domain({}))],
    ['where none were seen', followRecords(noFormerRecords, live)],
  ])('have no copies %s', (_case, former) => expect(copiesUntil(former)).toBeNull());
});
