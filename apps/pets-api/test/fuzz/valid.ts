import { describe, expect, it } from '@jest/globals';
import { endingOperations, type DescribedOperation } from './document.js';
import { fuzz, FUZZ_LIMIT_MS } from './fuzz.js';
import { keyFor, type FuzzFixture } from './fuzz-fixture.js';
import { errorOf, findLostDigits, requireNoFaults } from './answer-checks.js';
import { validRequests, writeRequest, type RequestParts } from './requests.js';
import type { WireAnswer } from './wire.js';

/** Share of the cases of an operation. */
const SHARE = 0.3;

/** Statuses of what the state of things forbids, whatever the schemas say of the request; and a plan that forbids it. */
const ofState: ReadonlySet<number> = new Set([404, 409, 412, 422]);

function isOfState({ code }: { code: string }, status: number): boolean {
  return ofState.has(status) || (status === 403 && code !== 'forbidden');
}

/** Rules that the description has in words only, by operation: the code and the message of what breaks them. */
const rulesInWords: Readonly<Record<string, RegExp>> = {
  createOrder: /^invalid_parameter petId: /,
  createProject: /^(?:invalid_parameter slug: must not contain two hyphens|name_reserved )/,
  updateProject: /^invalid_parameter hsts.preload: preload requires /,
  createDeployment: /^(?:invalid_bundle |invalid_parameter access: is of a channel)/,
  createUpload: /^(?:invalid_bundle |invalid_parameter access: is of a channel)/,
  sendUploadFiles: /^invalid_bundle /,
  putOrigin: /^invalid_parameter (?:url|hostHeader|headers[^]*): /,
  putDomainOrigin: /^invalid_parameter (?:url|hostHeader|headers[^]*): /,
  addDomain:
    /^(?:invalid_domain |wildcard_needs_dns_challenge |invalid_parameter metadata\.[^]+: must have at most 512 bytes)/,
  addDomains: /^invalid_parameter domains\.\d+\.metadata\.[^]+: must have at most 512 bytes/,
  updateDomain: /^invalid_parameter metadata(?:: would have|\.[^]+: must have at most 512 bytes)/,
  putDomainConfig:
    /^(?:redirect_cycle |invalid_parameter platformRedirect: requires |invalid_parameter domains\.\S+ [^]*(?:is not a domain of this project|is redirected twice))/,
  uploadDomainCertificate: /^(?:invalid_certificate |invalid_private_key |certificate_\w+ )/,
  createSetupLink: /^invalid_parameter returnUrl: /,
  createSetupSession: /^invalid_api_key /,
  putSetupLogo: /^invalid_logo /,
  putSetupPage: /^invalid_parameter (?:color|supportAddress|returnOrigins)/,
  createWebhookEndpoint: /^invalid_parameter projectId: /,
  createApiKey: /^invalid_parameter expiresAt: must be (?:in the future|before the year 10000 in UTC)/,
};

/** Requests that conform to the OpenAPI document. */
export function testValidRequests(fixture: () => FuzzFixture): void {
  describe.each(endingOperations)('%s', (_id, operation) => {
    it(
      'takes what the description calls valid',
      async () => {
        let accepted = 0;
        await fuzz(SHARE, validRequests(operation, fixture()), async (parts) => {
          const key =
            operation.holder === 'session' ? await fixture().openSession() : keyFor(operation, fixture().keys);
          const request = writeRequest(operation, parts, key);
          const answer = await fixture().send(request);
          requireNoFaults(operation, request, answer, [
            ...findRefusal(operation, answer),
            ...findLostDigits(bodyToCompare(operation, parts), answer),
          ]);
          if (answer.status < 300) accepted++;
        });
        expect(accepted).toBeGreaterThan(0);
      },
      FUZZ_LIMIT_MS,
    );
  });
}

function findRefusal({ id }: DescribedOperation, answer: WireAnswer): string[] {
  const error = errorOf(answer);
  if (error === null || isOfState(error, answer.status)) return [];
  return breaksRuleInWords(id, error) ? [] : ['what the description calls valid is refused'];
}

/** Whether an error is for a rule that the description has in words only. */
export function breaksRuleInWords(id: string, { code, message }: { code: string; message: string }): boolean {
  // Of every list with pages.
  if (code === 'invalid_cursor') return true;
  return rulesInWords[id]?.test(`${code} ${message}`) ?? false;
}

/** A name comes back as DNS has it, whatever was typed, and a token as another one. */
function bodyToCompare({ id }: DescribedOperation, { body }: RequestParts) {
  return id === 'addDomain' || id === 'createSetupSession' || body === undefined || !('json' in body)
    ? undefined
    : body.json;
}
