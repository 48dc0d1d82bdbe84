import type { Generated } from 'kysely';
import type { Timestamp } from './column-types.js';

/** The deletion of old rows of one table. The lock on its row lets one process at a time delete. */
export interface RetentionTaskTable {
  /** The table. */
  name: string;
  next_at: Generated<Date>;
  /** Where the next batch continues; null at the beginning. */
  position: string | null;
  /** When everything old was deleted last. */
  completed_at: Generated<Date>;
  /** The time of the oldest row then. */
  oldest_at: Timestamp | null;
}
