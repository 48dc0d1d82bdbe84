import { describe, expect, it } from '@jest/globals';
import { assignSlots, SlotUse, type DueDelivery, type Slot } from './assign-slots.js';

const limits = { total: 128, perReceiver: 16 };

/** Due deliveries of one organization: as many endpoints, each at a receiver of its own, with as many deliveries. */
function dueOf(
  organizationId: string,
  {
    endpoints = 20,
    each = 8,
    receiver,
    isSlow = false,
    dueAt = 0,
  }: Partial<Record<'endpoints' | 'each' | 'dueAt', number>> & Partial<Pick<Slot, 'receiver' | 'isSlow'>> = {},
): DueDelivery[] {
  return Array.from({ length: endpoints * each }, (_, index) => {
    const endpointId = `${organizationId}-${Math.floor(index / each)}`;
    const deliveryId = `${organizationId} ${index}`;
    return { organizationId, endpointId, deliveryId, isSlow, receiver: receiver ?? endpointId, dueAt: new Date(dueAt) };
  });
}

const countOf = (slots: readonly Slot[], organizationId: string) =>
  slots.filter((slot) => slot.organizationId === organizationId).length;

describe('slots of webhooks', () => {
  it('are a quarter of all for an organization that is alone', () => {
    expect(assignSlots(dueOf('a'), new SlotUse([], limits), 200)).toHaveLength(30);
  });

  it.each([10, 30])('stay free for the next organization while %d others give none back', (hanging) => {
    const use = new SlotUse([], limits);
    for (let number = 0; number < hanging; number++) assignSlots(dueOf(`hanging ${number}`), use, 200);
    for (let round = 0; round < 3; round++)
      assignSlots(Array.from({ length: hanging }, (_, number) => dueOf(`hanging ${number}`)).flat(), use, 200);
    expect(assignSlots(dueOf('victim', { dueAt: 1 }), use, 200).length).toBeGreaterThan(0);
  });

  it('are shared in turns when all come at once', () => {
    const due = Array.from({ length: 10 }, (_, number) => dueOf(String(number))).flat();
    const assigned = assignSlots([...due, ...dueOf('last', { dueAt: 1 })], new SlotUse([], limits), 200);
    const counts = [...Array.from({ length: 10 }, (_, number) => String(number)), 'last'].map((id) =>
      countOf(assigned, id),
    );
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    expect(128 - assigned.length).toBeGreaterThan(20);
  });

  it('go first to the organization with the fewest, also when its deliveries are the newest', () => {
    const use = new SlotUse(dueOf('busy', { endpoints: 2, each: 2 }), limits);
    const [first] = assignSlots([...dueOf('busy'), ...dueOf('new', { dueAt: 1 })], use, 1);
    expect(first?.organizationId).toBe('new');
  });

  it('are eight for an endpoint, and go to its oldest deliveries', () => {
    const due = dueOf('a', { endpoints: 1, each: 20 }).map((delivery, index) => ({
      ...delivery,
      dueAt: new Date(-index),
    }));
    const assigned = assignSlots(due, new SlotUse([], limits), 200);
    expect(assigned.map(({ dueAt }) => dueAt.getTime())).toEqual([-19, -18, -17, -16, -15, -14, -13, -12]);
  });

  it('are few for endpoints that time out, and take none of the others', () => {
    const slow = Array.from({ length: 20 }, (_, number) => dueOf(`slow ${number}`, { isSlow: true })).flat();
    const use = new SlotUse([], limits);
    const assigned = assignSlots(slow, use, 200);
    expect(assigned.length).toBeLessThanOrEqual(8);
    expect(new Set(assigned.map(({ organizationId }) => organizationId)).size).toBe(assigned.length);
    expect(assignSlots(dueOf('a'), use, 200)).toHaveLength(30);
  });

  it('are sixteen for a receiver, shared by the organizations that have endpoints there', () => {
    const use = new SlotUse([], limits);
    const receiver = 'https://hooks.example.com';
    const first = assignSlots(dueOf('a', { receiver }), use, 200);
    expect(first).toHaveLength(8);
    const others = Array.from({ length: 20 }, (_, number) => dueOf(`other ${number}`, { receiver })).flat();
    expect(assignSlots(others, use, 200).length).toBeLessThanOrEqual(8);
    expect(assignSlots(dueOf('elsewhere'), use, 200).length).toBeGreaterThan(20);
  });

  it('never exceed the limit of a claim', () => {
    expect(assignSlots(dueOf('a'), new SlotUse([], limits), 5)).toHaveLength(5);
  });

  it('are one at least, however few there are', () => {
    expect(assignSlots(dueOf('a'), new SlotUse([], { total: 1, perReceiver: 16 }), 200)).toHaveLength(1);
  });
});
