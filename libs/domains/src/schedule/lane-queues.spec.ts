import { describe, expect, it } from '@jest/globals';
import { LaneQueues, type Priority, type WorkQueue } from './lane-queues.js';

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

  it('leave a row to every queue of a claim, however the weights are', () => {
    const lane = new LaneQueues(start);
    lane.announce({ ...queue('a'), readyAt: start, weight: 10 }, start);
    lane.announce({ ...queue('b'), readyAt: start }, start);
    lane.announce({ ...queue('c'), readyAt: start }, start);
    expect(taken(lane, 3)).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 1],
    ]);
  });

  it('keep their weight when they are announced without one', () => {
    const lane = new LaneQueues(start);
    lane.announce({ ...queue('a'), readyAt: start, weight: 3 }, start);
    lane.announce({ ...queue('a'), readyAt: start }, start);
    lane.announce({ ...queue('b'), readyAt: start }, start);
    expect(taken(lane, 8)).toEqual([
      ['a', 6],
      ['b', 2],
    ]);
  });

  it('are found after a time in which nobody asked', () => {
    const lane = new LaneQueues(start);
    for (let minute = 1; minute <= 100; minute += 1)
      lane.announce({ ...queue(`o${minute}`), readyAt: at(minute * 60_000) }, start);
    expect(lane.next(500, at(50 * 60_000))).toHaveLength(50);
    expect(lane.next(500, at(100 * 60_000))).toHaveLength(100);
  });
});

describe('a queue', () => {
  /** A lane that has been asked at the start, when nothing was ready. */
  const asked = () => {
    const lane = new LaneQueues(start);
    expect(lane.hasReady(start)).toBe(false);
    return lane;
  };
  const readyOf = (lane: LaneQueues, ms: number) =>
    lane.next(10, at(ms)).map((share) => [share.queue.organizationId, share.from.getTime() - start.getTime()]);

  it.each([
    [-1_000, true],
    [0, true],
    [1, false],
    [60_000, false],
  ])('announced for %d ms later is ready: %s', (ms, isReady) => {
    expect(asked().announce({ ...queue('a'), readyAt: at(ms) }, start)).toBe(isReady);
  });

  it('is ready from the tenth of a second of its first row on', () => {
    const lane = asked();
    lane.announce({ ...queue('a'), readyAt: at(150) }, start);
    expect([50, 99].map((ms) => lane.hasReady(at(ms)))).toEqual([false, false]);
    expect(lane.hasReady(at(100))).toBe(true);
    expect(readyOf(lane, 100)).toEqual([['a', 150]]);
  });

  it.each([
    ['a moment later', 300, ['a', 'b']],
    ['after a pause', 700, ['a', 'b', 'c', 'd', 'e']],
    ['before the clock was set back', -5_000, []],
    ['after the clock was set forward by centuries', 1e13, ['a', 'b', 'c', 'd', 'e']],
  ])('is found %s', (_name, ms, ids) => {
    const lane = asked();
    for (const [index, id] of ['a', 'b', 'c', 'd', 'e'].entries())
      lane.announce({ ...queue(id), readyAt: at([100, 300, 500, 600, 700][index] ?? 0) }, start);
    expect(readyOf(lane, ms).map(([id]) => id)).toEqual(ids);
    expect(lane.hasReady(at(ms))).toBe(ids.length > 0);
  });

  it('is not ready with those of the tenth of a second before', () => {
    const lane = asked();
    lane.announce({ ...queue('a'), readyAt: at(10_000) }, start);
    lane.announce({ ...queue('b'), readyAt: at(10_100) }, start);
    expect(readyOf(lane, 10_050)).toEqual([['a', 10_000]]);
  });

  it('is ready for its first row, in whatever order its rows are announced', () => {
    const lane = asked();
    lane.announce({ ...queue('a'), readyAt: at(5_000) }, start);
    lane.announce({ ...queue('a'), readyAt: at(2_000) }, start);
    lane.announce({ ...queue('a'), readyAt: at(9_000) }, start);
    expect(readyOf(lane, 1_900)).toEqual([]);
    expect(readyOf(lane, 2_000)).toEqual([['a', 2_000]]);
  });

  it('whose row was announced earlier than known before is not ready again at the former time', () => {
    const lane = asked();
    lane.announce({ ...queue('a'), readyAt: at(5_000) }, start);
    lane.announce({ ...queue('a'), readyAt: start }, start);
    expect(readyOf(lane, 0)).toEqual([['a', 0]]);
    lane.claimed(queue('a'), at(60_000));
    expect(readyOf(lane, 6_000)).toEqual([]);
    expect(readyOf(lane, 60_000)).toEqual([['a', 60_000]]);
  });

  it('that is empty is not ready before it is announced again', () => {
    const lane = asked();
    lane.announce({ ...queue('a'), readyAt: at(1_000) }, start);
    expect(readyOf(lane, 1_000)).toEqual([['a', 1_000]]);
    lane.claimed(queue('a'), null);
    expect(readyOf(lane, 90_000)).toEqual([]);
    lane.announce({ ...queue('a'), readyAt: at(95_000) }, at(90_000));
    expect(readyOf(lane, 95_000)).toEqual([['a', 95_000]]);
  });

  it('that the later of two claims found empty is empty', () => {
    const lane = asked();
    lane.announce({ ...queue('a'), readyAt: start }, start);
    expect([readyOf(lane, 0), readyOf(lane, 0)]).toEqual([[['a', 0]], [['a', 0]]]);
    lane.claimed(queue('a'), at(60_000));
    lane.claimed(queue('a'), null);
    expect(readyOf(lane, 60_000)).toEqual([]);
  });

  it('that nobody announced is claimed without effect', () => {
    const lane = asked();
    lane.claimed(queue('a'), start);
    expect(lane.hasReady(start)).toBe(false);
  });

  it('keeps its turn when it is announced again', () => {
    const lane = asked();
    for (const id of ['a', 'b', 'a']) lane.announce({ ...queue(id), readyAt: start }, start);
    expect(taken(lane, 1)).toEqual([['a', 1]]);
  });
});
