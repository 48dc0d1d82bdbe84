import { describe, expect, it } from '@jest/globals';
import { findCycles } from './import-graph.js';

const graphOf = (edges: Record<string, string[]>) => new Map(Object.entries(edges));

describe('findCycles', () => {
  it('finds none where several ways lead to one file', () => {
    expect(findCycles(graphOf({ a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }))).toEqual([]);
  });

  it('names the way round', () => {
    expect(findCycles(graphOf({ a: ['b'], b: ['c'], c: ['b'] }))).toEqual(['b → c → b']);
  });

  it('finds a file that imports itself', () => expect(findCycles(graphOf({ a: ['a'] }))).toEqual(['a → a']));
});
