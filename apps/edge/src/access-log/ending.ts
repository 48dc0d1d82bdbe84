/** How the answer to a request ended. */
export interface Ending {
  /** From the head of the request to the end of the answer, in milliseconds. */
  readonly durationMs: number;
  /** Whether all of it was sent. */
  readonly isComplete: boolean;
}
