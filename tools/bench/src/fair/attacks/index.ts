import type { Attack } from '../attack.js';
import { cancelledImports } from './cancelled-imports.js';

/** In the order they are run. */
export const attacks: readonly Attack[] = [cancelledImports];
