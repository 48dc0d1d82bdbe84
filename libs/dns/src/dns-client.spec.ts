import { expect, it } from '@jest/globals';
import { SilentZones } from './dns-client.js';

it('remembers a name and those below it, and no other', () => {
  const zones = new SilentZones();
  zones.add('evil.shared.com');
  expect(['evil.shared.com', '_pets.evil.shared.com'].map((name) => zones.has(name))).toEqual([true, true]);
  expect(['shared.com', 'other.shared.com', 'notevil.shared.com'].map((name) => zones.has(name))).toEqual([
    false,
    false,
    false,
  ]);
});

it('never remembers a public suffix', () => {
  const zones = new SilentZones();
  for (const suffix of ['com', 'co.uk', 'github.io']) zones.add(suffix);
  expect(['a.com', 'a.co.uk', 'a.github.io'].some((name) => zones.has(name))).toBe(false);
});

it('forgets a name that answers, and the oldest when there are too many', () => {
  const zones = new SilentZones({ maxKept: 2 });
  for (const name of ['a.com', 'b.com', 'c.com']) zones.add(name);
  zones.delete('c.com');
  expect(['a.com', 'b.com', 'c.com'].map((name) => zones.has(name))).toEqual([false, true, false]);
});
