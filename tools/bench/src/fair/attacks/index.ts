import type { Attack } from '../attack.js';
import { batches } from './batches.js';
import { hangingLists } from './hanging-lists.js';
import { hangingZones } from './hanging-zones.js';
import { oneProject } from './one-project.js';
import { repeatedRemovals } from './repeated-removals.js';
import { silentReceivers } from './silent-receivers.js';
import { uploading } from './upload-imports.js';

/** In the order they are run. */
export const attacks: readonly Attack[] = [
  repeatedRemovals,
  oneProject,
  batches,
  hangingLists,
  silentReceivers,
  hangingZones,
  uploading('cancelled-imports'),
  uploading('empty-lines'),
];
