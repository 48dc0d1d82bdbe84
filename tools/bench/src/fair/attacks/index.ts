import type { Attack } from '../attack.js';
import { batches } from './batches.js';
import { oneProject } from './one-project.js';
import { repeatedRemovals } from './repeated-removals.js';

/** In the order they are run. */
export const attacks: readonly Attack[] = [repeatedRemovals, oneProject, batches];
