import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a condition. @throws Error naming it when it does not come true in time */
export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 10_000,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${limitMs} ms: ${what}`);
    await delay(10);
  }
}
