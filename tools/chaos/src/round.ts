/** One fault, tried once. */
export interface Round {
  readonly name: string;
  /** What should not have been; nothing when the round passed. */
  readonly seen: readonly string[];
}
