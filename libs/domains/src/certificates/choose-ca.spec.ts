import { describe, expect, it } from '@jest/globals';
import { knownCaLimits } from './ca-limits.js';
import { chooseCa, hasOtherCa, type CaCandidate } from './choose-ca.js';

const now = new Date('2026-03-01T12:00:00Z');
const [limit] = knownCaLimits('https://acme-v02.api.letsencrypt.org/directory');
if (limit === undefined) throw new Error('no limit');

const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
const ca = (directoryUrl: string, known: Partial<CaCandidate> = {}): CaCandidate => ({
  directoryUrl,
  failures: 0,
  retryAt: null,
  accountPausedUntil: null,
  apexPausedUntil: null,
  refusals: [],
  ...known,
});
const spent = (until: Date): Partial<CaCandidate> => ({ refusals: [{ limit, until }] });

describe('the CA', () => {
  it.each<[string, CaCandidate[], string | Date]>([
    ['the only one', [ca('a')], 'a'],
    ['the only one, however often it failed', [ca('a', { failures: 9 })], 'a'],
    ['the first of equals', [ca('a'), ca('b')], 'a'],
    ['the second, once the first has failed', [ca('a', { failures: 1 }), ca('b')], 'b'],
    ['the first again, once both have failed', [ca('a', { failures: 1 }), ca('b', { failures: 1 })], 'a'],
    ['the one that failed least', [ca('a', { failures: 3 }), ca('b', { failures: 2 }), ca('c', { failures: 2 })], 'b'],
    ['not one that wants to be left alone', [ca('a', { retryAt: inHours(1) }), ca('b', { failures: 5 })], 'b'],
    ['one whose wait is over', [ca('a', { retryAt: inHours(-1) }), ca('b')], 'a'],
    ['one whose wait ends now', [ca('a', { retryAt: now }), ca('b')], 'a'],
    ['not one whose budget is spent', [ca('a', spent(inHours(1))), ca('b', { failures: 5 })], 'b'],
    ['none', [ca('a', spent(inHours(1)))], inHours(1)],
    [
      'none, until the first may be asked again',
      [ca('a', spent(inHours(3))), ca('b', { retryAt: inHours(2) })],
      inHours(2),
    ],
    [
      'none, both for two reasons',
      [ca('a', { ...spent(inHours(3)), retryAt: inHours(5) }), ca('b', spent(inHours(4)))],
      inHours(4),
    ],
    [
      'none, until the later of both times',
      [ca('a', { ...spent(inHours(5)), retryAt: inHours(3) }), ca('b', spent(inHours(4)))],
      inHours(4),
    ],
  ])('is %s', (_name, candidates, expected) => {
    const choice = chooseCa(candidates, now);
    expect(choice.kind === 'chosen' ? choice.candidate.directoryUrl : choice.until).toEqual(expected);
  });

  it('that becomes available first is returned when none is available', () => {
    const candidates = [ca('a', spent(inHours(3))), ca('b', { retryAt: inHours(2) })];
    expect(chooseCa(candidates, now)).toEqual({
      kind: 'deferred',
      until: inHours(2),
      by: 'name',
      limit: null,
      candidate: candidates[1],
    });
  });

  it('waits for the account rather than for a time of its own, if both end at once', () => {
    const both = ca('a', { accountPausedUntil: inHours(1), retryAt: inHours(1) });
    expect(chooseCa([both], now)).toMatchObject({ until: inHours(1), by: 'account' });
  });

  it.each([2, 4])('waits for the registered domain before it waits for the account: %d h', (hours) => {
    const both = ca('a', { accountPausedUntil: inHours(3), apexPausedUntil: inHours(hours) });
    expect(chooseCa([both], now)).toMatchObject({ until: inHours(hours), by: 'registered_domain' });
  });

  it('waits for a time of its own rather than for the registered domain, if that is later', () => {
    const both = ca('a', { apexPausedUntil: inHours(1), retryAt: inHours(2) });
    expect(chooseCa([both], now)).toMatchObject({ until: inHours(2), by: 'name' });
  });

  it('is the one where the longest of both waits ends first', () => {
    const both = ca('a', { accountPausedUntil: inHours(3), apexPausedUntil: inHours(1) });
    expect(chooseCa([both, ca('b', { accountPausedUntil: inHours(2) })], now)).toMatchObject({ until: inHours(2) });
  });

  it('cannot be chosen from none', () => expect(() => chooseCa([], now)).toThrow('no CA is configured'));
});

describe('another CA', () => {
  it.each<[string, CaCandidate[], boolean]>([
    ['there is none', [ca('a', { failures: 1 })], false],
    ['it has failed less often', [ca('a', { failures: 1 }), ca('b')], true],
    ['it has failed as often', [ca('a', { failures: 1 }), ca('b', { failures: 1 })], false],
    ['it has a later retry time', [ca('a', { failures: 2 }), ca('b', { retryAt: inHours(1) })], false],
    ['its budget is spent', [ca('a', { failures: 2 }), ca('b', spent(inHours(1)))], false],
    ['the one that failed is not configured any more', [ca('b')], true],
  ])('%s', (_name, candidates, expected) => expect(hasOtherCa(candidates, 'a', now)).toBe(expected));
});
