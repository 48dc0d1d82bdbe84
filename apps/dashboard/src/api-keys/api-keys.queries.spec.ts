import { expect, it } from '@jest/globals';
import { apiKeyStatus } from './api-keys.queries.js';

const now = new Date('2026-11-02T12:00:00Z');

it.each([
  ['valid', null, null],
  ['valid', null, '2026-11-02T12:00:01Z'],
  ['expired', null, '2026-11-02T12:00:00Z'],
  ['revoked', '2026-11-01T00:00:00Z', '2026-11-01T12:00:00Z'],
] as const)('a key is %s when it was revoked at %s and expires at %s', (status, revokedAt, expiresAt) =>
  expect(apiKeyStatus({ revokedAt, expiresAt }, now)).toBe(status),
);
