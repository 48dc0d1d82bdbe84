import { describe, expect, it } from '@jest/globals';
import { maxConnections, shareOf } from './process-limits.js';

describe('the part of a limit per address that each process enforces', () => {
  it.each([
    [256, 1, 256],
    [256, 2, 162],
    [256, 4, 88],
    [256, 64, 10],
    [100, 2, 72],
    [1, 2, 1],
    [0, 4, 0],
  ])('of %d among %d processes is %d', (limit, processes, share) => {
    expect(shareOf(limit, processes)).toBe(share);
  });
});

const MIB = 1024 * 1024;

it.each([
  ['no limit', 2 ** 64, 1, 10_000],
  ['4 GiB', 4_096 * MIB, 1, 10_000],
  ['1 GiB', 1_024 * MIB, 1, 6_144],
  ['1 GiB', 1_024 * MIB, 2, 2_048],
  ['512 MiB', 512 * MIB, 1, 2_048],
  ['256 MiB, which is too little', 256 * MIB, 1, 1_000],
])(
  'with %s of memory there are places for so many connections in each process',
  (_name, bytes, processes, connections) => {
    expect(maxConnections(bytes, processes)).toBe(connections);
  },
);
