import { describe, expect, it } from '@jest/globals';
import { renderPerformance } from './performance-page.js';
import { describeCommand, type BenchRecord } from './record.js';

const page = `By hand.

<!-- begin api -->
old
<!-- end api -->

<!-- begin edge -->
<!-- end edge -->
`;

const record: BenchRecord = {
  suite: 'api',
  command: 'npm run bench -- api',
  date: '2026-01-02',
  commit: { id: 'abc1234', isDirty: false },
  seconds: 61,
  machine: {
    processor: 'CPU',
    processors: 2,
    memoryGb: 8,
    system: 'Debian',
    programs: [{ name: 'Node', version: '24' }],
  },
  lines: ['list 20: ours 1/s'],
  figures: [
    { name: 'reached', ratio: 2, bar: 1, isMet: true },
    { name: 'short-of-it', ratio: 0.5, bar: 1, isMet: false },
    { name: 'a|b', ratio: 3, bar: null, isMet: null },
    { name: 'wait-ms', ratio: 7, bar: 50, isMaximum: true, isMet: true },
  ],
};

const render = (changes: Partial<BenchRecord> = {}) => renderPerformance(page, [{ ...record, ...changes }]);

describe('the performance page', () => {
  it('keeps the text written by hand, and replaces the old record', () => {
    expect(render()).toContain('By hand.\n');
    expect(render()).not.toContain('old');
  });

  it('says when, where and how the suite was run, and at which commit', () => {
    expect(render()).toContain(
      '2026-01-02 at `abc1234`; `npm run bench -- api`, 61 s; CPU, 2 cores, 8 GB, Debian; Node 24.',
    );
    expect(render({ commit: { id: 'abc1234', isDirty: true } })).toContain('with uncommitted changes');
  });

  it('shows each figure with its bar, laid out as Prettier does', () => {
    const table = [
      '| figure      | ratio |  bar | result     |',
      '| ----------- | ----: | ---: | ---------- |',
      '| reached     |  2.00 |    1 | met        |',
      '| short-of-it |  0.50 |    1 | **missed** |',
      '| a\\|b        |  3.00 |      |            |',
      '| wait-ms     |  7.00 | ≤ 50 | met        |',
    ];
    expect(render()).toContain(table.join('\n'));
  });

  it('shows why a suite failed, as text that Markdown does not interpret', () => {
    expect(render({ figures: [], failed: 'the `CA`\ndied' })).toContain("**The suite api failed**: `the 'CA' died`.");
  });

  it('says which suite has not been run', () => expect(render()).toContain('<!-- begin edge -->\n\nNot run yet.'));

  it('does not change when it is made again', () => expect(renderPerformance(render(), [record])).toBe(render()));

  it('has a region for every record', () => {
    expect(() => render({ suite: 'unknown' })).toThrow('no region for the suite unknown');
  });
});

it('the command of a run names the settings that are not at their defaults', () => {
  const used = { BENCH_A: 1, BENCH_B: ['x', 'y'], OTHER: 2 };
  const defaults = { BENCH_A: 1, BENCH_B: ['x'], OTHER: 1 };
  expect(describeCommand('npm run bench -- api', ['BENCH_A', 'BENCH_B'], used, defaults)).toBe(
    'BENCH_B=x,y npm run bench -- api',
  );
});
