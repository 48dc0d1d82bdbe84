import { settings } from '../engine/settings.js';
import type { Figure } from '../figure.js';
import { measureCommits } from './commits.js';
import { measureAttacks } from './measure-attacks.js';
import { measureFlood } from './flood.js';

/** Whether tenants delay each other: by due work, by the notifications of their commits, and by attacks. */
export async function benchFair(): Promise<readonly Figure[]> {
  if (settings.BENCH_ATTACKS.length > 0) return measureAttacks();
  return [...(await measureFlood()), ...(await measureCommits()), ...(await measureAttacks())];
}
