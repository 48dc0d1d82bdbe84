import type { Attack } from '../attack.js';
import { batches } from './batches.js';
import { cancelledImports } from './cancelled-imports.js';
import { emptyLines } from './empty-lines.js';
import { hangingLists } from './hanging-lists.js';
import { hangingZones } from './hanging-zones.js';
import { oneProject } from './one-project.js';
import { repeatedRemovals } from './repeated-removals.js';
import { silentReceivers } from './silent-receivers.js';

/** In the order they are run. */
export const attacks: readonly Attack[] = [
  repeatedRemovals,
  oneProject,
  batches,
  hangingLists,
  silentReceivers,
  hangingZones,
  cancelledImports,
  emptyLines,
];
