import { describe, expect, it } from '@jest/globals';
import { FairScheduler } from './fair-scheduler.js';

interface Item {
  readonly name: string;
  isGone?: boolean;
}

function setUp(perTurn: number) {
  const begun: string[] = [];
  const asked: (() => void)[] = [];
  const turns = new FairScheduler<string, Item>({
    perTurn,
    begin: ({ name }) => void begun.push(name),
    isGone: ({ isGone }) => isGone === true,
    nextTurn: (work) => void asked.push(work),
  });
  return {
    take: (key: string, ...names: string[]) => {
      for (const name of names) turns.take(key, { name });
      return begun.splice(0);
    },
    takeItem: (key: string, item: Item) => turns.take(key, item),
    nextTurn: () => {
      for (const work of asked.splice(0)) work();
      return begun.splice(0);
    },
    asked,
  };
}

describe('turns', () => {
  it('let what comes alone begin at once', () => {
    expect(setUp(1).take('a', 'first')).toEqual(['first']);
  });

  it('let so many of a key begin in each, in the order they came', () => {
    const { take, nextTurn } = setUp(2);
    expect(take('a', '1', '2', '3', '4', '5')).toEqual(['1', '2']);
    expect(nextTurn()).toEqual(['3', '4']);
    expect(nextTurn()).toEqual(['5']);
  });

  it('let nobody wait for what another brings', () => {
    const { take, nextTurn } = setUp(1);
    expect(take('a', 'a1', 'a2', 'a3')).toEqual(['a1']);
    expect(take('b', 'b1', 'b2')).toEqual(['b1']);
    expect(nextTurn()).toEqual(['a2', 'b2']);
  });

  it('count what comes later in the same turn', () => {
    const { take, nextTurn } = setUp(2);
    expect(take('a', '1')).toEqual(['1']);
    expect(take('a', '2', '3')).toEqual(['2']);
    expect(nextTurn()).toEqual(['3']);
    expect(take('a', '4', '5')).toEqual(['4']);
  });

  it('are not used up by what has left', () => {
    const { take, takeItem, nextTurn } = setUp(1);
    take('a', '1');
    const leaving: Item = { name: 'leaving' };
    takeItem('a', leaving);
    take('a', '2');
    leaving.isGone = true;
    expect(nextTurn()).toEqual(['2']);
  });

  it('end when nothing waits, and begin anew afterwards', () => {
    const { take, nextTurn, asked } = setUp(1);
    take('a', '1');
    nextTurn();
    expect(asked).toHaveLength(0);
    expect(take('a', '2')).toEqual(['2']);
    expect(asked).toHaveLength(1);
  });
});
