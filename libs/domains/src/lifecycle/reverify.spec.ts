import { expect, it } from '@jest/globals';
import { judgeReverify, type ReverifyFacts } from './reverify.js';

const began = new Date('2026-01-01T00:00:00Z');
const facts: ReverifyFacts = {
  state: 'verified',
  hasCertificate: false,
  isAttemptInFlight: false,
  hasLastAttemptFailed: false,
  generationBeganAt: began,
};
const failedOnce = { ...facts, hasLastAttemptFailed: true };

it.each<[string, ReverifyFacts, number, boolean, number | null]>([
  ['at once after a failed attempt', failedOnce, 60, true, null],
  ['not while a new attempt is under way', { ...failedOnce, isAttemptInFlight: true }, 60, false, 1740],
  ['not while the first attempt has its time', facts, 60, false, 1740],
  ['after 30 minutes in any case', { ...facts, isAttemptInFlight: true }, 1800, true, null],
  ['not with a certificate', { ...facts, hasCertificate: true }, 3600, false, null],
  ['not before verification', { ...facts, state: 'awaiting_dns' }, 3600, false, null],
  ['not when live', { ...facts, state: 'live' }, 3600, false, null],
])('re-verify: %s', (_name, given, seconds, allowed, retryAfter) => {
  const verdict = judgeReverify(given, 1800, new Date(began.getTime() + seconds * 1000));
  expect([verdict.allowed, verdict.allowed ? null : verdict.retryAfterSeconds]).toEqual([allowed, retryAfter]);
});
