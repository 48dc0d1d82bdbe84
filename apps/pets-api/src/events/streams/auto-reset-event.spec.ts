import { expect, it } from '@jest/globals';
import { AutoResetEvent } from './auto-reset-event.js';

/** Longer than the test may take: a wait that is not ended by a reason fails it. */
const FOR_EVER_MS = 60_000;

it('lets who waits go on at a reason', async () => {
  const latch = new AutoResetEvent();
  const waiting = latch.wait(FOR_EVER_MS);
  latch.set();
  await waiting;
});

it('keeps a reason that comes while nobody waits, once', async () => {
  const latch = new AutoResetEvent();
  latch.set();
  latch.set();
  await latch.wait(FOR_EVER_MS);
  const began = performance.now();
  await latch.wait(50);
  expect(performance.now() - began).toBeGreaterThanOrEqual(49);
});
