import { describe, expect, it } from '@jest/globals';
import {
  creditAfter,
  isStalled,
  compareSamples,
  nextSliceBytes,
  SLICE_BYTES,
  type SendQueueState,
  type SendQueueSample,
} from './minimum-rate.js';

const KIB = 1_024;
const sample = (atMs: number, writtenBytes: number, queuedBytes: number): SendQueueSample => ({
  atMs,
  writtenBytes,
  queuedBytes,
});

describe('compareSamples', () => {
  it.each<[string, SendQueueSample | undefined, SendQueueSample | undefined, SendQueueState]>([
    ['no samples', undefined, undefined, 'unknown'],
    ['only one', undefined, sample(5_000, 0, 0), 'unknown'],
    ['too close together', sample(0, 0, 900), sample(1_000, 0, 800), 'unknown'],
    ['nothing is queued', sample(0, 100, 0), sample(5_000, 100, 0), 'idle'],
    ['an answer to a PING is queued', sample(0, 100, 0), sample(5_000, 117, 17), 'idle'],
    ['the queue does not move', sample(0, 100_000, 90_000), sample(5_000, 100_000, 90_000), 'stuck'],
    ['a byte a second', sample(0, 100_000, 90_000), sample(5_000, 100_000, 89_995), 'stuck'],
    ['4 KiB/s', sample(0, 3_000_000, 2_500_000), sample(5_000, 3_000_000, 2_500_000 - 20 * KIB), 'draining'],
    ['4 KiB/s, and as much more was written', sample(0, 0, 50_000), sample(5_000, 20 * KIB, 50_000), 'draining'],
    ['more is written, nothing is taken', sample(0, 0, 50_000), sample(5_000, 20 * KIB, 50_000 + 20 * KIB), 'stuck'],
  ])('%s', (_name, earlier, later, state) => expect(compareSamples(earlier, later)).toBe(state));
});

describe('isStalled', () => {
  const write = { bytes: SLICE_BYTES, ageMs: 10_000, creditMs: 0, sendQueue: 'idle' } as const;

  it.each([
    ['16 KiB after 10 s', write, true],
    ['less than 16 KiB, too', { ...write, bytes: 1 }, true],
    ['before', { ...write, ageMs: 9_999 }, false],
    ['that has credit', { ...write, creditMs: 5_000 }, false],
    ['when the credit is used up', { ...write, creditMs: 5_000, ageMs: 15_000 }, true],
    ['over a network that is slow and moves', { ...write, sendQueue: 'draining', ageMs: 100_000 }, false],
    ['over one that does not move', { ...write, sendQueue: 'stuck' }, true],
    [
      '64 KiB, of which nobody knows how much was taken',
      { ...write, bytes: 4 * SLICE_BYTES, sendQueue: 'unknown' },
      false,
    ],
    ['the same after 40 s', { ...write, bytes: 4 * SLICE_BYTES, sendQueue: 'unknown', ageMs: 40_000 }, true],
    ['64 KiB of which nothing is taken', { ...write, bytes: 4 * SLICE_BYTES, sendQueue: 'stuck' }, true],
  ] as const)('%s', (_name, { ...given }, stalled) => expect(isStalled(given)).toBe(stalled));
});

it('a client that takes 32 KiB every 16 s keeps above the minimum, and one that takes 32 KiB every 25 s does not', () => {
  const waits = (everyMs: number) => {
    const credit = creditAfter(creditAfter(0, SLICE_BYTES, 0), SLICE_BYTES, 0);
    return isStalled({ bytes: SLICE_BYTES, ageMs: everyMs, creditMs: credit, sendQueue: 'idle' });
  };
  expect(waits(16_000)).toBe(false);
  expect(waits(25_000)).toBe(true);
});

it('no credit is kept beyond one slice; who has it is sent two at once', () => {
  let credit = 0;
  for (let slice = 0; slice < 1_000; slice++) credit = creditAfter(credit, SLICE_BYTES, 1);
  expect(credit).toBe(10_000);
  expect(nextSliceBytes(0)).toBe(16 * KIB);
  expect(nextSliceBytes(9_999)).toBe(16 * KIB);
  expect(nextSliceBytes(credit)).toBe(32 * KIB);
});
