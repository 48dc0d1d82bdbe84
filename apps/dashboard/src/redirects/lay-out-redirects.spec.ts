import { describe, expect, it } from '@jest/globals';
import { layOutRedirects } from './lay-out-redirects.js';

const to = (from: string, target: string) => ({ from, to: target, status: 301 });
const columnsOf = (...facts: Parameters<typeof layOutRedirects>) => {
  const { nodes } = layOutRedirects(...facts);
  const xs = [...new Set(nodes.map(({ x }) => x))].sort((a, b) => a - b);
  return Object.fromEntries(nodes.map(({ name, x }) => [name, xs.indexOf(x)]));
};

it('every redirect of a chain leads to the right', () => {
  expect(columnsOf(['a', 'b', 'c'], [to('a', 'b'), to('b', 'c')])).toEqual({ a: 0, b: 1, c: 2 });
});

it('a name that nothing leads to stands with those that serve', () => {
  expect(columnsOf(['a', 'b', 'alone'], [to('a', 'b')])).toEqual({ a: 0, b: 1, alone: 1 });
});

it('no two names are at the same place, and all are within the picture', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const { nodes, width, height } = layOutRedirects(names, [to('a', 'e'), to('b', 'e'), to('c', 'd')]);
  expect(new Set(nodes.map(({ x, y }) => `${x},${y}`)).size).toBe(names.length);
  expect(nodes.every(({ x, y }) => x >= 0 && y >= 0 && x < width && y < height)).toBe(true);
});

it('a line goes from the side of the one to the side of the other', () => {
  const { edges, nodes } = layOutRedirects(['a', 'b'], [to('a', 'b')]);
  expect(edges).toHaveLength(1);
  expect(edges[0]?.start.x).toBeGreaterThan(nodes.find(({ name }) => name === 'a')?.x ?? Infinity);
  expect(edges[0]?.end.x).toBe(nodes.find(({ name }) => name === 'b')?.x);
});

describe('what is half edited is drawn all the same', () => {
  it.each([
    ['a circle', [to('a', 'b'), to('b', 'a')], 2],
    ['to itself', [to('a', 'a')], 0],
    ['to nothing', [to('a', '')], 0],
    ['to a name that is gone', [to('a', 'gone.example')], 0],
  ])('%s', (_name, redirects, edges) => {
    expect(layOutRedirects(['a', 'b'], redirects).edges).toHaveLength(edges);
  });

  it('without any name', () => expect(layOutRedirects([], []).nodes).toEqual([]));
});
