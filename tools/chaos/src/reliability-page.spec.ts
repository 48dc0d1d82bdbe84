import { describe, expect, it } from '@jest/globals';
import type { ChaosRecord, FaultResult } from './record.js';
import { renderReliability } from './reliability-page.js';

const page = `<!-- begin overview -->
<!-- end overview -->
By hand.
<!-- begin engine -->
<!-- end engine -->
<!-- begin edge -->
<!-- end edge -->
`;

const fault: FaultResult = {
  ...{ name: 'kill', rounds: 5, failed: 0, lost: 0, duplicated: 1 },
  recovery: { p50Ms: 1_240, maxMs: 2_000, never: 0 },
};

const render = (changes: Partial<FaultResult> = {}, record: Partial<ChaosRecord> = {}) =>
  renderReliability(page, [
    {
      ...{ suite: 'engine', command: 'npm run chaos -- engine', date: '2026-01-02', settings: [], lines: [], seed: 7 },
      machine: { processor: 'CPU', processors: 1, memoryGb: 8, system: 'Debian', programs: [] },
      faults: [{ ...fault, ...changes }],
      ...record,
    },
  ]);

describe('the page of what was broken', () => {
  it('tells of each fault what was lost, what was done again, and what it took to recover', () => {
    expect(render()).toMatch(/^\| kill +\| +5 \| +0 \| +1 \| +1\.2 s \/ 2\.0 s \| passed \|$/m);
    expect(render()).toContain('The seed was 7.');
    expect(render()).toContain('\nBy hand.\n');
  });

  it('makes no zero of what was not counted', () => {
    const unknown = render({ lost: null, duplicated: null, recovery: null, remark: '4 orders in a day' });
    expect(unknown).toMatch(/^\| kill +\| +5 \| +– \| +– \| +– \| passed: 4 orders in a day \|$/m);
  });

  it('shows a fault as failed, and a round that never recovered', () => {
    const failed = render({ failed: 2, recovery: { p50Ms: 900, maxMs: 1_000, never: 2 } });
    expect(failed).toMatch(/0\.9 s \/ never in 2 rounds \| \*\*failed\*\* in 2 of 5 \|$/m);
    expect(failed).toMatch(/^\| engine \| +1 \| +5 \| \*\*failed\*\*: 2 of the rounds \|/m);
  });

  it('shows a suite that did not get to its end as failed, and one that was not played', () => {
    expect(render({}, { failed: 'ended with code 1' })).toMatch(/^\| engine .*\*\*failed\*\*, not to its end/m);
    expect(render({}, { failed: 'ended with code 1' })).toContain('**Failed**: `ended with code 1`');
    expect(render()).toContain('Not tried yet: `npm run chaos -- edge` does it.');
  });
});
