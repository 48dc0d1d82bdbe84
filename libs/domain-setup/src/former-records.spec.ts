import { describe, expect, it } from '@jest/globals';
import type { SetupDomain } from '@pets/contracts';
import { copiesUntil, followDeletions, formerLines } from './former-records.js';
import { exampleDomain, exampleIssue } from './setup.example.js';
import { sightingText } from './zone-form.js';

const [name, value] = ['docs.example.com', '203.0.113.7'];
const seen = (ttl: number, resolver: string) => ({ type: 'A', name, value, ttl, resolver });
const domain = (dns: Partial<SetupDomain['dns']>, parts: Partial<SetupDomain> = {}) =>
  exampleDomain({ ...parts, dns: { ...exampleDomain().dns, checkedAt: '2026-11-02T09:10:00.000Z', ...dns } });

/** A name with an old address, which is to be deleted. */
const before = domain(
  { observed: [seen(300, '192.0.2.53:53')], conflicts: [{ type: 'A', name, value, action: 'remove' }] },
  { issues: [exampleIssue()] },
);
const gone = { type: 'A', name, value, action: 'remove', ttl: 3600, goneAt: '2026-11-02T09:20:00.000Z' } as const;

describe('records that had to go', () => {
  it('are in no further line while they are to be deleted', () =>
    expect(formerLines(followDeletions([], before), before)).toEqual([]));

  it.each([
    ['gone from all', [], 'Gone', true],
    ['there at one', [seen(60, '192.0.2.54:53')], 'Gone at 1 of 2 name servers, at the last by 14:05', false],
  ])('have a line when they are %s of the name servers', (_case, observed, text, isFound) => {
    const issues = [exampleIssue({ code: 'propagating', evidence: { stale: ['192.0.2.53:53', '192.0.2.54:53'] } })];
    const [line] = formerLines(followDeletions([], before), domain({ observed }, { issues }));
    expect(line?.record.value).toBe(value);
    expect(line && sightingText(line, '14:05')).toEqual({ text, isFound });
  });

  it('have that line after a reload as well, by what the API says', () => {
    const reloaded = domain({ former: [gone, { ...gone, type: 'CNAME', value: 'old.example', action: 'change' }] });
    const lines = formerLines(followDeletions([], reloaded), reloaded);
    expect(lines.map(({ record, seen: sightings }) => [record.value, sightings?.count])).toEqual([[value, 0]]);
  });

  it('are copied until the longest TTL has passed since the check that found them gone', () => {
    const former = [gone, { ...gone, value: '203.0.113.8', ttl: 300 }, { ...gone, ttl: null }];
    expect(copiesUntil(domain({ former }, { state: 'live' }))).toBe('2026-11-02T10:20:00.000Z');
  });

  it.each([
    ['before the switch', domain({ former: [gone] })],
    ['while others lead elsewhere', domain({ former: [gone] }, { state: 'live', issues: [exampleIssue()] })],
    ['where none were seen', domain({}, { state: 'live' })],
    ['where their time is unknown', domain({ former: [{ ...gone, ttl: null }] }, { state: 'live' })],
  ])('have no copies %s', (_case, facts) => expect(copiesUntil(facts)).toBeNull());
});
