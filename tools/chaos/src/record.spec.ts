import { describe, expect, it } from '@jest/globals';
import { renderReliability, summarize, type ChaosRecord, type FaultResult } from './record.js';
import type { Round } from './round.js';

const round = (changes: Partial<Round>): Round => ({
  ...{ name: 'kill', seen: [], lost: 0, duplicated: 0, recoveredMs: 1_000 },
  ...changes,
});

describe('rounds of a fault', () => {
  it('are summed, a line a fault', () => {
    const rounds = [round({ lost: 2, recoveredMs: 3_000 }), round({ lost: 1, seen: ['x'] }), round({ name: 'flush' })];
    expect(summarize(rounds)).toEqual([
      {
        name: 'kill',
        rounds: 2,
        failed: 1,
        lost: 3,
        duplicated: 0,
        recovery: { p50Ms: 1_000, maxMs: 3_000, never: 0 },
      },
      {
        name: 'flush',
        rounds: 1,
        failed: 0,
        lost: 0,
        duplicated: 0,
        recovery: { p50Ms: 1_000, maxMs: 1_000, never: 0 },
      },
    ]);
  });

  it('have no sum of what was not counted, and no time where there is nothing to recover from', () => {
    const [fault] = summarize(
      [round({ duplicated: null, recoveredMs: null, remark: '3 orders' }), round({})].slice(0, 1),
    );
    expect(fault).toMatchObject({ lost: 0, duplicated: null, recovery: null, remark: '3 orders' });
  });

  it('count one that never recovered as the longest', () => {
    const times = [100, 'never', 'never'] as const;
    const [fault] = summarize(times.map((recoveredMs) => round({ recoveredMs })));
    expect(fault?.recovery).toEqual({ p50Ms: null, maxMs: 100, never: 2 });
  });
});

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
