import { describe, expect, it } from '@jest/globals';
import { layoutRedirects } from './redirect-graph.js';

describe('layoutRedirects', () => {
  const to = (from: string, target: string) => ({ from, to: target, status: 301 });
  const columnsOf = (...facts: Parameters<typeof layoutRedirects>) => {
    const { nodes } = layoutRedirects(...facts);
    const xs = [...new Set(nodes.map(({ x }) => x))].sort((a, b) => a - b);
    return Object.fromEntries(nodes.map(({ name, x }) => [name, xs.indexOf(x)]));
  };

  it('places every redirect of a chain from left to right', () => {
    expect(columnsOf(['a', 'b', 'c'], [to('a', 'b'), to('b', 'c')])).toEqual({ a: 0, b: 1, c: 2 });
  });

  it('places a name without redirects in the last column', () => {
    expect(columnsOf(['a', 'b', 'alone'], [to('a', 'b')])).toEqual({ a: 0, b: 1, alone: 1 });
  });

  it('places no two names at the same position, and all within the bounds', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const { nodes, width, height } = layoutRedirects(names, [to('a', 'e'), to('b', 'e'), to('c', 'd')]);
    expect(new Set(nodes.map(({ x, y }) => `${x},${y}`)).size).toBe(names.length);
    expect(nodes.every(({ x, y }) => x >= 0 && y >= 0 && x < width && y < height)).toBe(true);
  });

  it('draws a line from the right side of the source to the left side of the target', () => {
    const { edges, nodes } = layoutRedirects(['a', 'b'], [to('a', 'b')]);
    expect(edges).toHaveLength(1);
    expect(edges[0]?.start.x).toBeGreaterThan(nodes.find(({ name }) => name === 'a')?.x ?? Infinity);
    expect(edges[0]?.end.x).toBe(nodes.find(({ name }) => name === 'b')?.x);
  });

  describe('an incomplete configuration is drawn', () => {
    it.each([
      ['a circle', [to('a', 'b'), to('b', 'a')], 2],
      ['to itself', [to('a', 'a')], 0],
      ['to nothing', [to('a', '')], 0],
      ['to a name that is gone', [to('a', 'gone.example')], 0],
    ])('%s', (_name, redirects, edges) => {
      expect(layoutRedirects(['a', 'b'], redirects).edges).toHaveLength(edges);
    });

    it('without any name', () => expect(layoutRedirects([], []).nodes).toEqual([]));
  });
});
