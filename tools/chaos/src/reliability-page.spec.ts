import { describe, expect, it } from '@jest/globals';
import type { ChaosRecord, FaultResult } from './record.js';
import { renderReliability } from './reliability-page.js';

const page = `By hand.

<!-- begin engine -->
<!-- end engine -->
`;

const fault: FaultResult = {
  ...{ name: 'kill', rounds: 5, failed: 0, lost: 0, duplicated: 1 },
  recovery: { p50Ms: 1_240, maxMs: 2_000, never: 0 },
};

const render = (changes: Partial<FaultResult> = {}, record: Partial<ChaosRecord> = {}) =>
  renderReliability(page, [
    {
      ...{
        suite: 'engine',
        command: 'CHAOS_SEED=7 npm run chaos -- engine',
        date: '2026-01-02',
        seconds: 9,
        lines: [],
      },
      machine: { processor: 'CPU', processors: 1, memoryGb: 8, system: 'Debian', programs: [] },
      faults: [{ ...fault, ...changes }],
      ...record,
    },
  ]);

describe('the reliability page', () => {
  it('shows for each fault the losses, the repetitions and the time to recover', () => {
    expect(render()).toMatch(/^\| kill +\| +5 \| +0 \| +1 \| +1\.2 s \/ 2\.0 s \| passed \|$/m);
    expect(render()).toContain('By hand.\n');
  });

  it('shows the command that repeats the run, with its seed', () => {
    expect(render()).toContain('`CHAOS_SEED=7 npm run chaos -- engine`');
  });

  it('shows a dash, not a zero, where nothing was counted', () => {
    const unknown = render({ lost: null, duplicated: null, recovery: null, remark: '4 orders in a day' });
    expect(unknown).toMatch(/^\| kill +\| +5 \| +– \| +– \| +– \| passed: 4 orders in a day \|$/m);
  });

  it('shows a fault as failed, and a round that never recovered', () => {
    const failed = render({ failed: 2, recovery: { p50Ms: 900, maxMs: 1_000, never: 2 } });
    expect(failed).toMatch(/0\.9 s \/ never in 2 rounds \| \*\*failed\*\* in 2 of 5 \|$/m);
  });

  it('shows a suite that did not complete as failed', () => {
    expect(render({}, { failed: 'ended with code 1' })).toContain('**The suite engine failed**: `ended with code 1`.');
  });
});
