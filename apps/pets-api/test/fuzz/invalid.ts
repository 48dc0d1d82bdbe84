import { describe, expect, it } from '@jest/globals';
import { operationsById } from './document.js';
import { faultyRequests } from './faulty-requests.js';
import { fuzz, FUZZ_LIMIT_MS } from './fuzz.js';
import { keyFor, type FuzzFixture } from './fuzz-fixture.js';
import { requireNoFaults } from './answer-checks.js';

/** Share of the cases of an operation. */
const SHARE = 0.55;

/** Requests that violate the OpenAPI document. */
export function testInvalidRequests(fixture: () => FuzzFixture): void {
  describe.each(operationsById)('%s', (_id, operation) => {
    it(
      'refuses what is invalid, and changes nothing',
      async () => {
        const before = await fixture().snapshot();
        const cases = faultyRequests(operation, fixture(), keyFor(operation, fixture().keys));
        await fuzz(SHARE, cases, async ({ why, request, statuses }) => {
          const answer = await fixture().send(request);
          const isExpected = statuses.includes(answer.status);
          requireNoFaults(
            operation,
            request,
            answer,
            isExpected ? [] : [`${why}: not answered ${statuses.join(' or ')}`],
          );
        });
        expect(await fixture().snapshot()).toBe(before);
      },
      FUZZ_LIMIT_MS,
    );
  });
}
