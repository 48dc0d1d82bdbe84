import type { Attack } from '../attack.js';

/** In the order they are run. */
export const attacks: readonly Attack[] = [];
