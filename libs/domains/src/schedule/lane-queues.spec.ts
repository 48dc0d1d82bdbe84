import { describe, expect, it } from '@jest/globals';
import { LaneQueues } from './lane-queues.js';
import type { Priority, WorkQueue } from './lanes.js';

const start = new Date('2026-05-01T00:00:00Z');
const at = (ms: number) => new Date(start.getTime() + ms);
const queue = (organizationId: string, priority: Priority = 3): WorkQueue => ({
  kind: 'dns',
  priority,
  organizationId,
});
const taken = (lane: LaneQueues, limit: number, now = at(0)) =>
  lane.next(limit, now).map((share) => [share.queue.organizationId, share.limit]);

describe('the queues of a lane', () => {
  it('share a claim in proportion to their weights, and take turns when there are more than rows', () => {
    const lane = new LaneQueues(start);
    lane.announce({ ...queue('a'), readyAt: start, weight: 1 }, start);
    lane.announce({ ...queue('b'), readyAt: start, weight: 4 }, start);
    lane.announce({ ...queue('c'), readyAt: start }, start);
    expect(taken(lane, 60)).toEqual([
      ['a', 10],
      ['b', 40],
      ['c', 10],
    ]);
    expect(taken(lane, 2)).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(taken(lane, 2)).toEqual([
      ['c', 1],
      ['a', 1],
    ]);
  });

  it('go by priority, but leave something to the lower ones', () => {
    const lane = new LaneQueues(start);
    lane.announce({ ...queue('routine', 3), readyAt: start }, start);
    lane.announce({ ...queue('late', 2), readyAt: start }, start);
    lane.announce({ ...queue('first', 1), readyAt: start }, start);
    expect(taken(lane, 80)).toEqual([
      ['first', 70],
      ['late', 8],
      ['routine', 2],
    ]);
  });

  it('are left out until they are ready again, and read from there', () => {
    const lane = new LaneQueues(start);
    lane.announce({ ...queue('a'), readyAt: start }, start);
    lane.next(10, start);
    lane.claimed(queue('a'), at(5_000));
    expect(lane.next(10, at(4_000))).toEqual([]);
    expect(lane.next(10, at(5_000))).toEqual([{ queue: queue('a'), from: at(5_000), limit: 10 }]);
    lane.claimed(queue('a'), null);
    expect(lane.next(10, at(1_000_000))).toEqual([]);
  });

  it('remember a row that is announced while a claim runs that does not see it', () => {
    const lane = new LaneQueues(start);
    lane.announce({ ...queue('a'), readyAt: start }, start);
    lane.next(10, start);
    lane.announce({ ...queue('a'), readyAt: at(10) }, at(10));
    lane.claimed(queue('a'), at(60_000));
    expect(lane.next(10, at(10))).toEqual([{ queue: queue('a'), from: at(10), limit: 10 }]);
  });

  it('are found after a time in which nobody asked', () => {
    const lane = new LaneQueues(start);
    for (let minute = 1; minute <= 100; minute += 1)
      lane.announce({ ...queue(`o${minute}`), readyAt: at(minute * 60_000) }, start);
    expect(lane.next(500, at(50 * 60_000))).toHaveLength(50);
    expect(lane.next(500, at(100 * 60_000))).toHaveLength(100);
  });
});
