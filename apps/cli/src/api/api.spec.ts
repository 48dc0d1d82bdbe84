import { expect, it } from '@jest/globals';
import { errorStatus, type ErrorCode } from '@pets/contracts';
import { statusOfError } from './api.js';

const cases = {
  usage: ['invalid_request', 'invalid_parameter', 'invalid_cursor'],
  unauthorized: ['unauthenticated', 'invalid_api_key', 'forbidden'],
  not_yet: ['rate_limited', 'reverify_too_early', 'idempotency_in_progress'],
  refused: ['invalid_domain', 'plan_required', 'domain_limit_reached', 'not_found', 'domain_exists', 'invalid_bundle'],
  unavailable: ['timeout', 'internal', 'unavailable'],
} as const satisfies Record<string, readonly ErrorCode[]>;

it.each(Object.entries(cases).flatMap(([status, codes]) => codes.map((code) => [code, status] as const)))(
  'the error code %s ends a command as %s',
  (code, status) => expect(statusOfError(code, errorStatus[code])).toBe(status),
);

it('an unknown error code ends a command by its HTTP status', () => {
  expect(statusOfError('from_the_future', 422)).toBe('refused');
  expect(statusOfError('from_the_future', 502)).toBe('unavailable');
});
