import { describe, expect, it } from '@jest/globals';
import { knownCaLimits, type CaLimit } from './ca-limits.js';
import { freeSlots, orderRank, queueIssue, slotAt, slotsCountSince, spentSlots } from './order-queue.js';

const inMs = (ms: number) => new Date(now.getTime() + ms);
const limit = knownCaLimits('https://acme-v02.api.letsencrypt.org/directory').find(({ kind }) => kind === 'orders');
if (limit === undefined) throw new Error('there is no such limit');
const REFILL_MS = 36_000;
/** After so many orders in a moment. */
const after = (orders: number) => ({ limit, fullAt: inMs(orders * REFILL_MS) });

describe('the slots of an account', () => {
  it.each([
    ['nothing used', 0, 0, 298],
    ['some used', 100, 0, 198],
    ['some used, and some given away', 100, 8, 190],
    ['everything used', 298, 0, 0],
    ['more used than is allowed, after the limit was lowered', 1_000, 0, 0],
    ['everything given away', 0, 400, 0],
  ])('%s: %d used and %d given away leave %d', (_name, used, given, left) => {
    expect(freeSlots(after(used), given, now)).toBe(left);
  });

  it('are refilled one at a time after a burst, not all at the end of the window', () => {
    const burst = after(298);
    expect([35_999, 36_000, 72_000].map((ms) => freeSlots(burst, 0, inMs(ms)))).toEqual([0, 1, 2]);
    expect(slotAt(burst, 0, now)).toEqual(inMs(REFILL_MS));
    expect(slotAt(burst, 142, now)).toEqual(inMs(143 * REFILL_MS));
  });

  it('are free now where the bucket has some', () => {
    expect(slotAt(after(0), 297, now)).toEqual(now);
    expect(slotAt(after(0), 298, now)).toEqual(inMs(REFILL_MS));
    expect(freeSlots({ limit, fullAt: inMs(-9 * REFILL_MS) }, 0, now)).toBe(298);
  });

  it('never allow more arrivals in a window than the CA, however long an order takes', () => {
    for (const small of [
      { max: 5, windowMs: 3_600_000 },
      { max: 600, windowMs: 600_000 },
    ]) {
      const known: CaLimit = { kind: 'orders', ...small };
      const free = freeSlots({ limit: known, fullAt: now }, 0, now);
      const refilledInAnAttempt = 60_000 / (small.windowMs / small.max);
      expect(free + refilledInAnAttempt).toBeLessThanOrEqual(small.max);
    }
    expect(freeSlots({ limit: { kind: 'orders', max: 1, windowMs: 3_600_000 }, fullAt: now }, 0, now)).toBe(1);
  });

  it('are counted by the orders of two windows', () => {
    expect(slotsCountSince(limit, now)).toEqual(new Date('2026-03-01T06:00:00Z'));
  });

  it('are counted as used until they are refilled', () => {
    expect(spentSlots(after(7), inMs(2_000))).toBe(7);
    expect(spentSlots(after(7), inMs(7 * REFILL_MS))).toBe(0);
  });
});

const now = new Date('2026-03-01T12:00:00Z');
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);

describe('the rank of an order', () => {
  it.each([
    ['the first certificate', undefined, 1],
    ['a planned renewal', { notBefore: inDays(-60), notAfter: inDays(30) }, 1],
    ['a renewal with little time left', { notBefore: inDays(-70), notAfter: inDays(20) }, 0],
    ['a renewal with a quarter of the lifetime left', { notBefore: inDays(-67.5), notAfter: inDays(22.5) }, 0],
    ['an expired certificate', { notBefore: inDays(-91), notAfter: inDays(-1) }, 0],
  ] as const)('of %s', (_name, certificate, rank) => expect(orderRank(certificate, now)).toBe(rank));
});

describe('the owner reads the place in the queue', () => {
  it.each([
    [0, false, 0, '0 orders are before yours; about a minute.'],
    [1, false, 1 / 24, '1 order is before yours; about 60 minutes.'],
    [142, false, 40 / 1_440, '142 orders are before yours; about 40 minutes.'],
    [300, false, 2 / 24, '300 orders are before yours; about 2 hours.'],
    [9_000, false, 2, '9000 orders are before yours; about 2 days.'],
    [600, false, 0.25, '600 orders are before yours; about 6 hours.'],
    [10_000, true, 4.2, 'more than 10000 orders are before yours; about 4 days.'],
  ])('%d before it', (before, isMore, days, text) => {
    const { message, evidence } = queueIssue({ before, isMore, expectedAt: inDays(days) }, now);
    expect(message).toBe(`The certificate order is queued at the certificate authority: ${text}`);
    expect(evidence.expectedAt).toBe(inDays(days).toISOString());
  });
});
