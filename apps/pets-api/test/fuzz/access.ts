import { describe, expect, it } from '@jest/globals';
import fc, { type Arbitrary } from 'fast-check';
import { operationsById, type DescribedOperation } from './document.js';
import { fuzz, FUZZ_LIMIT_MS } from './fuzz.js';
import { keyFor, type FuzzFixture, type Keys, type PathParameters } from './fuzz-fixture.js';
import { errorOf, requireNoFaults } from './answer-checks.js';
import { unownedPaths, validRequests, writeRequest } from './requests.js';
import { breaksRuleInWords } from './valid.js';

/** Shares of the cases of an operation. */
const SHARES = { keys: 0.06, scopes: 0.05, ids: 0.02 };

/** Tests who may do an operation, and to whose things. */
export function testAccess(fixture: () => FuzzFixture): void {
  describe.each(operationsById.filter(([, { holder }]) => holder !== 'anybody'))('%s', (_id, operation) => {
    it(
      'is answered 401 without a valid key, and changes nothing',
      async () => {
        const before = await fixture().snapshot();
        const cases = fc.tuple(validRequests(operation, fixture()), badCredentials(fixture().keys));
        await fuzz(SHARES.keys, cases, async ([parts, { authorization, code }]) => {
          const { headers, ...rest } = writeRequest(operation, parts, '');
          const others = headers.filter(([name]) => name !== 'authorization');
          const credentials = authorization === null ? [] : [['authorization', authorization] as const];
          const request = { ...rest, headers: [...others, ...credentials] };
          const answer = await fixture().send(request);
          requireNoFaults(operation, request, answer, [
            ...(answer.status === 401 && errorOf(answer)?.code === code ? [] : [`is not answered 401 ${code}`]),
            ...(answer.headers.get('www-authenticate')?.startsWith('Bearer ') ? [] : ['has no challenge']),
          ]);
        });
        expect(await fixture().snapshot()).toBe(before);
      },
      FUZZ_LIMIT_MS,
    );
  });

  // Of a set-up link there is one kind of token.
  describe.each(operationsById.filter(([, { holder }]) => holder !== 'anybody' && holder !== 'setup_link'))(
    '%s',
    (_id, operation) => {
      it(
        'is answered 403 with a key that may not do it, and changes nothing',
        async () => {
          const keys = insufficientKeys(operation, fixture().keys);
          const before = await fixture().snapshot();
          await fuzz(
            SHARES.scopes,
            fc.tuple(validRequests(operation, fixture()), fc.constantFrom(...keys)),
            async ([parts, key]) => {
              const request = writeRequest(operation, parts, key);
              const answer = await fixture().send(request);
              const challenge = answer.headers.get('www-authenticate') ?? '';
              requireNoFaults(operation, request, answer, [
                ...(answer.status === 403 && errorOf(answer)?.code === 'forbidden'
                  ? []
                  : ['is not answered 403 forbidden']),
                ...(challenge.includes('error="insufficient_scope"') ? [] : ['has no challenge']),
              ]);
            },
          );
          expect(await fixture().snapshot()).toBe(before);
        },
        FUZZ_LIMIT_MS,
      );
    },
  );

  describe.each(operationsById.filter(([, { parameters }]) => parameters.some((each) => each.in === 'path')))(
    '%s',
    (_id, operation) => {
      it(
        'answers for what others have as for what nobody has',
        async () => {
          const cases = fc.tuple(validRequests(operation, fixture()), unownedPaths(operation, fixture()));
          await fuzz(SHARES.ids, cases, async ([parts, { foreign, missing }]) => {
            const ask = (path: PathParameters) =>
              writeRequest(operation, { ...parts, path }, keyFor(operation, fixture().keys));
            const request = ask(foreign);
            const [answer, other] = await Promise.all([fixture().send(request), fixture().send(ask(missing))]);
            const error = errorOf(answer);
            const isSame = JSON.stringify(error) === JSON.stringify(errorOf(other));
            requireNoFaults(operation, request, answer, [
              // A rule may be checked before anything is looked up: it says nothing about what there is.
              ...(answer.status === 404 || (error !== null && breaksRuleInWords(operation.id, error))
                ? []
                : ['is not answered 404']),
              ...(isSame ? [] : [`differs from the answer for what there is not: ${other.text}`]),
            ]);
          });
        },
        FUZZ_LIMIT_MS,
      );
    },
  );
}

interface BadCredential {
  readonly authorization: string | null;
  readonly code: 'unauthenticated' | 'invalid_api_key';
}

function badCredentials({
  full,
  session,
  revoked,
  expired,
  unknown,
  otherEnvironment,
}: Keys): Arbitrary<BadCredential> {
  const refused = fc.constantFrom(revoked, expired, unknown, otherEnvironment);
  const changed = fc
    .tuple(fc.constantFrom(full, session), fc.nat(full.length - 1), fc.constantFrom(...'0aZ_-.~+/'))
    .map(([key, at, character]) => key.slice(0, at) + character + key.slice(at + 1))
    .filter((key) => key !== full && key !== session);
  const cut = fc.nat(full.length - 1).map((end) => full.slice(0, end));
  const anything = fc.stringMatching(/^[!-~](?:[ -~]{0,40}[!-~])?$/);
  const schemes = fc
    .constantFrom('Basic', 'Bearer:', 'Token', 'bearerBearer', 'Digest')
    .map((scheme) => `${scheme} ${full}`);
  const headers = fc.oneof(
    fc.oneof(refused, changed, cut, anything).map((key) => `Bearer ${key}`.trim()),
    fc.oneof(schemes, anything, fc.constantFrom(full, '', `Bearer ${full} x`, `Bearer "${full}"`, `Bearer ${full},`)),
  );
  return fc.oneof(
    { weight: 1, arbitrary: fc.constant<BadCredential>({ authorization: null, code: 'unauthenticated' }) },
    {
      weight: 9,
      arbitrary: headers.map((authorization): BadCredential => ({ authorization, code: 'invalid_api_key' })),
    },
  );
}

/** Valid keys that lack what the operation needs, by its description. */
function insufficientKeys({ scope, holder }: DescribedOperation, { full, session, without }: Keys): string[] {
  return [
    ...(scope === undefined ? [] : [without.get(scope) ?? '']),
    // The session is that of a key, not of a person.
    ...(holder === 'api_key' || holder === 'recent' ? [session] : []),
    ...(holder === 'session' ? [full] : []),
  ];
}
