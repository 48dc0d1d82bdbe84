import { describe, expect, it } from '@jest/globals';
import { FairScheduler } from './fair-scheduler.js';

interface Item {
  readonly name: string;
  isGone?: boolean;
}

function createFixture(perTick: number) {
  const started: string[] = [];
  const ticks: (() => void)[] = [];
  const scheduler = new FairScheduler<string, Item>({
    perTick,
    start: ({ name }) => void started.push(name),
    isGone: ({ isGone }) => isGone === true,
    onNextTick: (work) => void ticks.push(work),
  });
  return {
    ticks,
    addItem: (key: string, item: Item) => scheduler.add(key, item),
    /** @returns the items that start at once */
    add: (key: string, ...names: string[]) => {
      for (const name of names) scheduler.add(key, { name });
      return started.splice(0);
    },
    /** @returns the items that start in the next tick */
    nextTick: () => {
      for (const work of ticks.splice(0)) work();
      return started.splice(0);
    },
  };
}

describe('FairScheduler', () => {
  it('starts a single item at once', () => {
    const fixture = createFixture(1);
    expect(fixture.add('a', 'first')).toEqual(['first']);
  });

  it('starts the given number of items of a key per tick, in order', () => {
    const fixture = createFixture(2);
    expect(fixture.add('a', '1', '2', '3', '4', '5')).toEqual(['1', '2']);
    expect(fixture.nextTick()).toEqual(['3', '4']);
    expect(fixture.nextTick()).toEqual(['5']);
  });

  it('does not delay one key because of another', () => {
    const fixture = createFixture(1);
    expect(fixture.add('a', 'a1', 'a2', 'a3')).toEqual(['a1']);
    expect(fixture.add('b', 'b1', 'b2')).toEqual(['b1']);
    expect(fixture.nextTick()).toEqual(['a2', 'b2']);
  });

  it('counts items that arrive later in the same tick', () => {
    const fixture = createFixture(2);
    expect(fixture.add('a', '1')).toEqual(['1']);
    expect(fixture.add('a', '2', '3')).toEqual(['2']);
    expect(fixture.nextTick()).toEqual(['3']);
    expect(fixture.add('a', '4', '5')).toEqual(['4']);
  });

  it('does not count items that are gone when their tick comes', () => {
    const fixture = createFixture(1);
    const leaving: Item = { name: 'leaving' };
    fixture.add('a', '1');
    fixture.addItem('a', leaving);
    fixture.add('a', '2');
    leaving.isGone = true;
    expect(fixture.nextTick()).toEqual(['2']);
  });

  it('asks for no further tick when nothing waits, and for one when items arrive again', () => {
    const fixture = createFixture(1);
    fixture.add('a', '1');
    fixture.nextTick();
    expect(fixture.ticks).toHaveLength(0);
    expect(fixture.add('a', '2')).toEqual(['2']);
    expect(fixture.ticks).toHaveLength(1);
  });
});
