import type { Attack } from '../attack.js';
import { emptyLines } from './empty-lines.js';
import { silentReceivers } from './silent-receivers.js';

/** In the order they are run. */
export const attacks: readonly Attack[] = [silentReceivers, emptyLines];
