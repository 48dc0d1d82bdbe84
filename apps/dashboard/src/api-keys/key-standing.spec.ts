import { expect, it } from '@jest/globals';
import { keyStanding } from './key-standing.js';

const now = new Date('2026-11-02T12:00:00Z');

it.each([
  ['valid', null, null],
  ['valid', null, '2026-11-02T12:00:01Z'],
  ['expired', null, '2026-11-02T12:00:00Z'],
  ['revoked', '2026-11-01T00:00:00Z', '2026-11-01T12:00:00Z'],
] as const)('%s when revoked at %s and expiring at %s', (standing, revokedAt, expiresAt) =>
  expect(keyStanding({ revokedAt, expiresAt }, now)).toBe(standing),
);
