import { describe, expect, it } from '@jest/globals';
import { AutoResetEvent } from './auto-reset-event.js';

/** Beyond the limit of a test, so that a wait that the event does not end fails it. */
const NEVER_MS = 60_000;

describe('AutoResetEvent', () => {
  it('ends a wait when it is set', async () => {
    const event = new AutoResetEvent();
    const waiting = event.wait(NEVER_MS);
    event.set();
    await waiting;
  });

  it('ends the next wait when it is set before', async () => {
    const event = new AutoResetEvent();
    event.set();
    await event.wait(NEVER_MS);
  });

  it('ends one wait only, however often it was set before', async () => {
    const event = new AutoResetEvent();
    event.set();
    event.set();
    await event.wait(NEVER_MS);
    const startedMs = performance.now();
    await event.wait(50);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(49);
  });
});
