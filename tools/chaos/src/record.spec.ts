import { describe, expect, it } from '@jest/globals';
import type { Round } from './round.js';
import { summarize } from './record.js';

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
