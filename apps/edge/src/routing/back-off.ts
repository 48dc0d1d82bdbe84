const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 5_000;

/**
 * How long to wait before the next connection attempt. Between half of the step and all of it, so that edges which
 * lost the API together do not come back together.
 * @param failures attempts that failed in a row, from 1
 * @param random in [0, 1)
 */
export function backOffMs(failures: number, random: number): number {
  const step = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures - 1, 10));
  return step * (0.5 + random / 2);
}
