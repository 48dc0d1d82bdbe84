import { describe, expect, it } from '@jest/globals';
import { renderPerformance, renderPlots } from './performance-page.js';
import type { BenchRecord } from './record.js';

const page = `# Page

<!-- begin overview -->
<!-- end overview -->

By hand.

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
  settings: [],
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
    { name: 'free', ratio: 3, bar: null, isMet: null },
  ],
};

const render = (changes: Partial<BenchRecord> = {}) => renderPerformance(page, [{ ...record, ...changes }]);

describe('the page of what was measured', () => {
  it('keeps what is written by hand, and nothing of an old record', () => {
    expect(render()).toContain('\nBy hand.\n');
    expect(render()).not.toContain('old');
  });

  it('says when, where and how, at which commit', () => {
    expect(render()).toContain(
      'Measured: 2026-01-02; commit `abc1234`; `npm run bench -- api`, 61 s; on CPU, 2 cores, 8 GB, Debian, Node 24.',
    );
    expect(render({ commit: { id: 'abc1234', isDirty: true } })).toContain('with changes that were not committed');
  });

  it('shows a missed bar as missed, in the table and in the overview', () => {
    expect(render()).toMatch(/^\| short-of-it +\| +0\.50 \| +1 \| \*\*missed\*\* \|$/m);
    expect(render()).toMatch(/^\| reached +\| +2\.00 \| +1 \| met +\|$/m);
    expect(render()).toMatch(/^\| free +\| +3\.00 \| +\| +\|$/m);
    expect(render()).toMatch(/^\| api +\| 1 met; \*\*1 missed\*\*: `short-of-it` \|/m);
  });

  it('shows a suite that failed as failed, with its reason', () => {
    const failed = render({ figures: [], failed: 'was not done after 30 minutes' });
    expect(failed).toContain('**Failed**: `was not done after 30 minutes`');
    expect(failed).toMatch(/^\| api +\| \*\*failed\*\*/m);
    expect(failed).not.toContain('.svg');
  });

  it('says that a run had other settings than the defaults', () => {
    const smaller = render({ settings: [{ name: 'BENCH_DOMAINS', value: '400', byDefault: '20000' }] });
    expect(smaller).toContain('**Not with the default settings**: `BENCH_DOMAINS=400` (20000 by default).');
    expect(smaller).toMatch(/^\| api +\| .*not with the default settings \|/m);
  });

  it('says of a figure that no run of today left that it is carried over', () => {
    expect(render({ carriedOver: 'from a page' })).toContain('**Carried over**: from a page.');
  });

  it('says what has not been measured', () => {
    expect(render()).toContain('Not measured yet: `npm run bench -- edge` does it.');
    expect(render()).toMatch(/^\| edge +\| not measured yet/m);
  });

  it('says the same again when it is made again', () => {
    expect(renderPerformance(render(), [record])).toBe(render());
  });

  it('shows the plot, with its figures in words, and has one for whoever has a bar', () => {
    expect(render()).toContain('reached 2.00× (met), short-of-it 0.50× (missed)](measured/api.svg)');
    expect([...renderPlots([record, { ...record, suite: 'edge', figures: [] }]).keys()]).toEqual(['api']);
  });

  it('has a place for every record', () => {
    expect(() => render({ suite: 'unknown' })).toThrow('no region for the suite unknown');
  });
});
