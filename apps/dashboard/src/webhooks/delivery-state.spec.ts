import { expect, it } from '@jest/globals';
import { deriveDeliveryStatus } from './delivery-state.js';

const at = '2026-11-02T09:00:00.000Z';

it.each([
  ['a new one', { state: 'pending', failures: 0, nextAttemptAt: at }, 'progress', 'Pending'],
  ['one that is being sent', { state: 'pending', failures: 2, nextAttemptAt: null }, 'progress', 'Sending…'],
  ['one that failed twice', { state: 'pending', failures: 2, nextAttemptAt: at }, 'warning', 'Retrying (2 of 9)'],
  ['an accepted one', { state: 'delivered', failures: 0, nextAttemptAt: null }, 'good', 'Delivered'],
  ['one without attempts left', { state: 'failed', failures: 10, nextAttemptAt: null }, 'critical', 'Failed'],
] as const)('%s', (_name, facts, tone, text) => {
  expect(deriveDeliveryStatus({ ...facts, maxAttempts: 10 })).toEqual({ tone, text });
});
