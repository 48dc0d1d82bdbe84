import { describe, expect, it } from '@jest/globals';
import { isOrderStuck, nextOrderRead, orderEnd, reverifiedAt, type GenerationFacts } from './open-order.js';

const orderedAt = new Date('2026-11-27T09:00:00.000Z');
const after = (seconds: number) => new Date(orderedAt.getTime() + seconds * 1_000);
const DAY = 86_400;

describe('the next read of an order', () => {
  it.each<[string, number, Date | null, number]>([
    ['is soon', 70, null, 72],
    ['is soon for half an hour', 1_800, null, 1_802],
    ['is later for an order that is stuck', 3_600, null, 3_672],
    ['is within ten minutes', 2 * DAY, null, 2 * DAY + 600],
    ['is not before the time of the CA', 70, after(190), 190],
    ['does not follow a time of the CA that is over', 70, after(71), 72],
    ['is not after the end of the order', 70, after(8 * DAY), 7 * DAY],
  ])('%s', (_case, nowAfter, retryAt, expected) => {
    const order = { orderedAt, expiresAt: after(7 * DAY) };
    expect(nextOrderRead(order, retryAt, after(nowAfter))).toEqual(after(expected));
  });
});

it.each([
  [1_800, false],
  [1_801, true],
])('an order is stuck after half an hour: %i s', (seconds, isStuck) => {
  expect(isOrderStuck(orderedAt, after(seconds))).toBe(isStuck);
});

it('an order ends when the CA says, and otherwise after a day', () => {
  expect(orderEnd('2026-11-28T11:00:00+01:00', orderedAt)).toEqual(after(DAY + 3_600));
  expect(orderEnd(null, orderedAt)).toEqual(after(DAY));
});

it.each<[string, GenerationFacts['state'], Date | null, Date | null]>([
  ['an addition', 'awaiting_dns', null, null],
  ['a verification', 'verified', after(60), null],
  ['a verification while an attempt ran', 'verified', after(61), null],
  ['a re-verify', 'verified', after(59), after(60)],
  ['a removal', 'removed', after(59), null],
])('a generation that %s began: whether the owner asked', (_cause, state, verifiedAt, expected) => {
  expect(reverifiedAt({ state, verifiedAt, generationBeganAt: after(60) })).toEqual(expected);
});
