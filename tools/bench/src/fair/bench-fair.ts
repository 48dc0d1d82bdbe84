import { settings } from '../settings.js';
import type { Figure } from '../figure.js';
import { measureCommits } from './commits.js';
import { withFixture } from './fair-fixture.js';
import { measureGrowth } from './growth.js';
import { measureAttacks } from './measure-attacks.js';
import { measureFlood } from './flood.js';

/** Whether tenants delay each other: by due work, by notifications of commits, by attacks, and by what they store. */
export async function benchFair(): Promise<readonly Figure[]> {
  if (settings.BENCH_ATTACKS.length > 0) return measureAttacks();
  return [
    ...(await measureFlood()),
    ...(await measureCommits()),
    ...(await measureAttacks()),
    ...(await withFixture(measureGrowth)),
  ];
}
