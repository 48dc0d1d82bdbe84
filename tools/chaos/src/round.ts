/** One fault, tried once. */
export interface Round {
  readonly name: string;
  /** What should not have been; nothing when the round passed. */
  readonly seen: readonly string[];
  /** How much was lost, by the suite's own measure; null where it has none. */
  readonly lost: number | null;
  /** What was done more often than once; null where nothing is done once only. */
  readonly duplicated: number | null;
  /** From the moment the product was left to itself until all was well; null where there is nothing to recover from. */
  readonly recoveredMs: RecoveredMs | null;
  /** What else a reader should know. */
  readonly remark?: string;
}

/** `never` stands for "not within the limit". */
export type RecoveredMs = number | 'never';
