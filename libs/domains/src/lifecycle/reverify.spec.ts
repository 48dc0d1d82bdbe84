import { expect, it } from '@jest/globals';
import { evaluateReverify, type ReverifyFacts } from './reverify.js';

const began = new Date('2026-01-01T00:00:00Z');
const facts: ReverifyFacts = {
  state: 'verified',
  hasCertificate: false,
  isAttemptInFlight: false,
  hasLastAttemptFailed: false,
  generationBeganAt: began,
};
const failedOnce = { ...facts, hasLastAttemptFailed: true };

it.each<[string, ReverifyFacts, number, string | true, number | null]>([
  ['at once after a failed attempt', failedOnce, 60, true, null],
  [
    'not while a new attempt is under way',
    { ...failedOnce, isAttemptInFlight: true },
    60,
    'A certificate request is in progress.',
    1740,
  ],
  ['not while the first attempt has its time', facts, 60, 'The certificate is still being issued.', 1740],
  [
    'and not a second too early',
    { ...facts, isAttemptInFlight: true },
    60.5,
    'A certificate request is in progress.',
    1740,
  ],
  ['to the last', facts, 1799.5, 'The certificate is still being issued.', 1],
  ['after 30 minutes in any case', { ...facts, isAttemptInFlight: true }, 1800, true, null],
  ['not with a certificate', { ...facts, hasCertificate: true }, 3600, 'The domain already has a certificate.', null],
  [
    'not before verification',
    { ...facts, state: 'awaiting_dns' },
    3600,
    'The domain is awaiting_dns; only a verified domain can be re-verified.',
    null,
  ],
  [
    'not when live',
    { ...facts, state: 'live' },
    3600,
    'The domain is live; only a verified domain can be re-verified.',
    null,
  ],
])('re-verify: %s', (_name, given, seconds, answer, retryAfterSeconds) => {
  const verdict = evaluateReverify(given, 1800, new Date(began.getTime() + seconds * 1000));
  expect(verdict).toEqual(answer === true ? { allowed: true } : { allowed: false, reason: answer, retryAfterSeconds });
});
