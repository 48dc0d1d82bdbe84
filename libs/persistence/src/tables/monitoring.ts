import type { ColumnType } from 'kysely';
import type { Timestamp } from './column-types.js';

/** A reading for the metrics that one replica makes for all of them. */
export interface SharedReadingTable {
  name: string;
  /** Null before the first one. */
  value: ColumnType<object | null, string | undefined, string>;
  read_at: Timestamp | null;
  /** When it is made again. During a reading, the end of its lease. */
  due_at: Timestamp;
}
