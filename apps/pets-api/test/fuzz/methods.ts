import { METHODS } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { endingOperations, operationsById } from './document.js';
import { fuzz, FUZZ_LIMIT_MS } from './fuzz.js';
import { keyFor, type FuzzFixture } from './fuzz-fixture.js';
import { requireNoFaults } from './answer-checks.js';
import { validRequests, writeRequest } from './requests.js';
import type { WireAnswer } from './wire.js';

/** Shares of the cases of an operation. */
const SHARES = { methods: 0.05, head: 0.02 };

/** Methods that a path does not support, and `HEAD`. */
export function testMethods(fixture: () => FuzzFixture): void {
  describe.each(operationsById)('%s', (_id, operation) => {
    it(
      'is the only thing at its path, next to what is described there',
      async () => {
        const allowed = [
          ...operation.methodsOfPath,
          ...(operation.methodsOfPath.includes('GET') ? ['HEAD'] : []),
          'OPTIONS',
        ];
        const allow = allowed.sort().join(', ');
        const others = METHODS.filter((method) => !allowed.includes(method) && method !== 'CONNECT');
        const cases = fc.tuple(
          validRequests(operation, fixture()),
          fc.constantFrom('OPTIONS', ...others),
          fc.boolean(),
        );
        const before = await fixture().snapshot();
        await fuzz(SHARES.methods, cases, async ([parts, method, hasKey]) => {
          const written = writeRequest(
            operation,
            { ...parts, body: undefined },
            hasKey ? keyFor(operation, fixture().keys) : 'none',
          );
          const request = { ...written, method };
          const answer = await fixture().send(request);
          const isOptions = method === 'OPTIONS';
          requireNoFaults(isOptions ? null : operation, request, answer, [
            ...(answer.status === (isOptions ? 204 : 405) ? [] : ['has another status']),
            ...(answer.headers.get('allow') === allow ? [] : [`does not say: Allow: ${allow}`]),
          ]);
        });
        expect(await fixture().snapshot()).toBe(before);
      },
      FUZZ_LIMIT_MS,
    );
  });

  describe.each(endingOperations.filter(([, { method }]) => method === 'GET'))('%s', (_id, operation) => {
    it(
      'answers HEAD as GET, without a body',
      async () => {
        await fuzz(SHARES.head, validRequests(operation, fixture()), async (parts) => {
          const got = writeRequest(operation, parts, keyFor(operation, fixture().keys));
          const request = { ...got, method: 'HEAD' };
          const [answer, whole] = await Promise.all([fixture().send(request), fixture().send(got)]);
          requireNoFaults(operation, request, answer, [
            ...(answer.status === whole.status ? [] : [`GET is answered ${whole.status}`]),
            ...differences(answer, whole).map((name) => `GET has another ${name}`),
          ]);
        });
      },
      FUZZ_LIMIT_MS,
    );
  });
}

/**
 * Headers of one answer alone: a request without an id gets a new one, and each step of a trace is another. No body, no
 * framing.
 */
const ownHeaders = new Set(['date', 'x-request-id', 'traceparent', 'transfer-encoding']);

function differences(one: WireAnswer, other: WireAnswer): string[] {
  const names = new Set([...one.headers.keys(), ...other.headers.keys()].filter((name) => !ownHeaders.has(name)));
  return [...names].filter((name) => one.headers.get(name) !== other.headers.get(name));
}
