import { describe, expect, it } from '@jest/globals';
import { LinkedList, type Linked } from './linked-list.js';

interface Item extends Linked<Item> {
  readonly name: string;
}

function listOf(...names: readonly string[]) {
  const list = new LinkedList<Item>();
  const items = names.map((name): Item => ({ name, earlier: undefined, later: undefined }));
  for (const item of items) list.add(item);
  return { list, items };
}

const namesOf = (list: LinkedList<Item>) => list.items.map(({ name }) => name).join('');

describe('a linked list', () => {
  it.each([
    [0, 'bc'],
    [1, 'ac'],
    [2, 'ab'],
  ])('keeps the order of the others when item %s is deleted, and takes it back at its end', (at, left) => {
    const { list, items } = listOf('a', 'b', 'c');
    for (const item of items.slice(at, at + 1)) {
      list.delete(item);
      expect([namesOf(list), list.size]).toEqual([left, 2]);
      list.add(item);
      expect([namesOf(list), list.size]).toEqual([left + item.name, 3]);
    }
  });

  it('lets go of its items', () => {
    const { list, items } = listOf('a', 'b');
    for (const item of list.items) list.delete(item);
    expect([namesOf(list), list.size]).toEqual(['', 0]);
    expect(items.flatMap(({ earlier, later }) => [earlier, later])).toEqual(Array(4).fill(undefined));
  });
});
