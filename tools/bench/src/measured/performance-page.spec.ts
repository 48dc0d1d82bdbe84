import { describe, expect, it } from '@jest/globals';
import { renderPerformance } from './performance-page.js';
import type { QuickRecord } from '../quick/reading.js';
import { describeCommand, type BenchRecord, type MeasuredSuite } from './record.js';

const page = `By hand.

<!-- begin run -->
<!-- end run -->

<!-- begin quick -->
<!-- end quick -->

<!-- begin api -->
old
<!-- end api -->

<!-- begin edge -->
<!-- end edge -->
`;

const suite: MeasuredSuite = {
  suite: 'api',
  command: 'npm run bench -- api',
  seconds: 61,
  lines: ['list 20: ours 1/s'],
  figures: [
    { name: 'reached', ratio: 2, bar: 1, isMet: true },
    { name: 'short-of-it', ratio: 0.5, bar: 1, isMet: false },
    { name: 'a|b', ratio: 3, bar: null, isMet: null },
    { name: 'wait-ms', ratio: 7, bar: 50, isMaximum: true, isMet: true },
  ],
};

const run: Omit<BenchRecord, 'suites'> = {
  date: '2026-01-02',
  commit: { id: 'abc1234', isDirty: false },
  machine: {
    ...{ processor: 'CPU', processors: 2, memoryGb: 8, system: 'Debian' },
    programs: [{ name: 'Node', version: '24' }],
  },
};

const quick: QuickRecord = {
  ...run,
  ...{ reason: 'the first', seconds: 200 },
  counts: [{ name: 'create/statements', value: 1 }],
  costs: [{ name: 'edge-http1/node', ratio: 1.234, spread: 0.02 }],
};

const render = (changes: Partial<MeasuredSuite> = {}, of: Partial<BenchRecord> = {}) =>
  renderPerformance(page, { bench: { ...run, suites: [{ ...suite, ...changes }], ...of }, quick: null });

describe('the performance page', () => {
  it('keeps the text written by hand, and replaces the old record', () => {
    expect(render()).toContain('By hand.\n');
    expect(render()).not.toContain('old');
  });

  it('says once when, where and how all suites were run, and at which commit', () => {
    expect(render()).toContain('2026-01-02 at `abc1234`; `npm run bench`, 61 s; CPU, 2 cores, 8 GB, Debian; Node 24.');
    expect(render({}, { commit: { id: 'abc1234', isDirty: true } })).toContain('with uncommitted changes');
    expect(render({ command: 'A=1 npm run bench -- api' })).toContain('`A=1 npm run bench -- api`, 61 s.');
  });

  it('begins with the bars that were missed', () => {
    expect(render()).toMatch(/Bars that were missed:\n\n.*\n.*\n\| short-of-it \| +0\.50 \| +1 \|\n\n<!-- end run -->/);
    expect(render({ figures: [] })).toContain('Every bar was met.');
  });

  it('shows the record of the quick benchmark, with its reason', () => {
    const text = renderPerformance(page, { bench: null, quick });
    expect(text).toContain('`npm run bench -- quick --record "the first"`, 200 s');
    expect(text).toContain('| create/statements |  1.00 |');
    expect(text).toMatch(/\| edge-http1\/node +\| 1\.23 ± 0\.02 \|/);
  });

  it('shows each figure with its bar, laid out as Prettier does', () => {
    const table = [
      '| figure      | value |  bar | result     |',
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

  it('does not change when it is made again', () =>
    expect(renderPerformance(render(), { bench: { ...run, suites: [suite] }, quick: null })).toBe(render()));

  it('has a region for every suite', () => {
    expect(() => render({ suite: 'unknown' })).toThrow('no region for unknown');
  });
});

it('the command of a run names the settings that are not at their defaults', () => {
  const used = { BENCH_A: 1, BENCH_B: ['x', 'y'], OTHER: 2 };
  const defaults = { BENCH_A: 1, BENCH_B: ['x'], OTHER: 1 };
  expect(describeCommand('npm run bench -- api', ['BENCH_A', 'BENCH_B'], used, defaults)).toBe(
    'BENCH_B=x,y npm run bench -- api',
  );
});
