import type { Figure } from '../figure.js';
import { measureCommits } from './commits.js';
import { measureFlood } from './flood.js';

/** Whether tenants delay each other: by due work, and by the notifications of their commits. */
export async function benchFair(): Promise<readonly Figure[]> {
  return [...(await measureFlood()), ...(await measureCommits())];
}
