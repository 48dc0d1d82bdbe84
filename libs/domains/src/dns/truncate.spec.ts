import { describe, expect, it } from '@jest/globals';
import { bytesOf, truncateList, truncateText, allocateBytes } from './truncate.js';

describe('truncateText', () => {
  it.each(['', 'a', 'a'.repeat(512), '€'.repeat(170)])('leaves what fits', (text) =>
    expect(truncateText(text)).toBe(text),
  );

  it.each(['a'.repeat(513), '€'.repeat(171), '😀'.repeat(20_000), ' '.repeat(60_000)])('cuts, and says so', (text) => {
    const cut = truncateText(text);
    expect(bytesOf(cut)).toBeLessThanOrEqual(512);
    expect(bytesOf(cut)).toBeGreaterThan(500);
    expect(cut).toMatch(new RegExp(`… \\(${bytesOf(text)} bytes, cut\\)$`));
    // No character was cut in two.
    expect(cut.isWellFormed()).toBe(true);
    expect(truncateText(cut)).toBe(cut);
  });
});

describe('truncateList', () => {
  it('leaves what fits', () => {
    const values = Array.from({ length: 16 }, (_value, i) => `${i}`);
    expect(truncateList(values)).toEqual(values);
    const longest = ['a'.repeat(512), 'b'.repeat(512)];
    expect(truncateList(longest)).toEqual(longest);
  });

  it('keeps room for the number of those that are missing', () => {
    const values = ['a'.repeat(512), 'b'.repeat(480), 'c'.repeat(40)];
    expect(truncateList(values)).toEqual([...values.slice(0, 2), '… and 1 more']);
    expect(truncateList(['a'.repeat(512), 'b'.repeat(481), 'c'.repeat(40)])).toEqual([values[0], '… and 2 more']);
  });

  it.each<[string, string[], string]>([
    ['many', Array.from({ length: 4_000 }, (_value, i) => `${i}`), '… and 3985 more'],
    ['one too many', Array.from({ length: 17 }, () => 'a'), '… and 2 more'],
    ['long ones', ['a'.repeat(60_000), 'b', 'c'.repeat(60_000), 'd'], '… and 2 more'],
    ['long ones only', ['a'.repeat(512), 'b'.repeat(512), 'c'.repeat(512)], '… and 2 more'],
  ])('truncates %s, and counts the values left out', (_title, values, last) => {
    const list = truncateList(values);
    expect(list.at(-1)).toBe(last);
    expect(list.length).toBeLessThanOrEqual(16);
    expect(bytesOf(list.join(''))).toBeLessThanOrEqual(1_024);
    expect(truncateList(list)).toEqual(list);
  });
});

describe('shareBytes', () => {
  it.each([
    [[[]], 10, [0]],
    [[[4, 4, 4], [4]], 12, [2, 1]],
    [[[4, 4, 4], [4]], 11, [1, 1]],
    [
      [
        [20, 1],
        [4, 4],
      ],
      10,
      [0, 2],
    ],
    [[[1, 20, 1], [1]], 10, [1, 1]],
  ])('gives each set its share: %j of %i', (sizes, max, counts) => expect(allocateBytes(sizes, max)).toEqual(counts));
});
