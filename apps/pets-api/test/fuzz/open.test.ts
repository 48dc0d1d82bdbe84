import { METHODS } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { apiErrorSchema, errorStatus } from '@pets/contracts';
import fc, { type Arbitrary } from 'fast-check';
import { startTestApi, type TestApi } from '../harness.js';
import { describedOperations } from './document.js';
import { fuzz, FUZZ_LIMIT_MS } from './fuzz.js';
import { requireNoFaults } from './answer-checks.js';
import { openWire, type Send, type WireAnswer, type WireRequest } from './wire.js';

/** Share of the cases of an operation: outside of `/v1` there is little to go wrong. */
const SHARE = 0.1;

let api: TestApi;
let key: string;
let wire: { readonly send: Send; close(): void };

beforeAll(async () => {
  api = await startTestApi();
  ({ key } = await api.createOrganization('pro'));
  wire = openWire(api.url);
});
afterAll(async () => {
  wire.close();
  await api.close();
});

const segments = fc
  .oneof(
    fc.string({ minLength: 1 }),
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom('__proto__', 'toString', '..'),
  )
  .map(encodeURIComponent);

it(
  'a kind of problem has a page, and nothing else has',
  () =>
    checkAll(
      fc.oneof(segments, fc.constantFrom(...Object.keys(errorStatus))).map((code) => get(`/problems/${code}`)),
      ({ target }) => [Object.hasOwn(errorStatus, target.replace('/problems/', '')) ? 200 : 404],
    ),
  FUZZ_LIMIT_MS,
);

it(
  'the description is what it is, whatever a client knows',
  () =>
    checkAll(
      fc
        .stringMatching(/^[!-~](?:[ -~]{0,60}[!-~])?$/)
        .map((known) => get('/openapi.json', [['if-none-match', known]])),
      () => [200],
    ),
  FUZZ_LIMIT_MS,
);

it(
  'the reference loads its own files only',
  () =>
    checkAll(
      fc.array(segments, { minLength: 1, maxLength: 3 }).map((path) => get(`/docs/${path.join('/')}`)),
      () => [404],
    ),
  FUZZ_LIMIT_MS,
);

it(
  'nothing is at a path that nobody made',
  () =>
    checkAll(
      fc
        .tuple(fc.constantFrom('/v1', '/v2', '/internal', '', '/V1'), fc.array(segments, { minLength: 1 }))
        .map(([base, path]) => get(`${base}/x-${path.join('/')}`)),
      () => [404],
    ),
  FUZZ_LIMIT_MS,
);

it(
  'any method, headers and body at any path have an answer that blames the client',
  async () => {
    const paths = describedOperations.map(({ path }) => path.replaceAll(/\{\w+\}/g, '1'));
    const cases = fc.record({
      method: fc.constantFrom(...METHODS.filter((method) => method !== 'CONNECT')),
      target: fc.oneof(
        fc.constantFrom(...paths),
        fc.webPath().map((path) => (path.startsWith('/') ? path : `/${path}`)),
      ),
      headers: fc.array(fc.tuple(fc.constantFrom(...noisyHeaders), fc.stringMatching(/^[!-~]{1,40}$/)), {
        maxLength: 4,
      }),
      body: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    });
    const withKey = cases.map((each): WireRequest => ({
      ...each,
      headers: [['authorization', `Bearer ${key}`], ...each.headers],
    }));
    await checkAll(withKey, () => null);
  },
  FUZZ_LIMIT_MS,
);

const noisyHeaders = [
  'accept',
  'accept-encoding',
  'accept-language',
  'content-type',
  'content-encoding',
  'cookie',
  'forwarded',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'last-event-id',
  'origin',
  'range',
  'traceparent',
  'tracestate',
  'x-forwarded-for',
  'x-http-method-override',
  'x-request-id',
];

/** @param statusesOf what a request may be answered; null for anything that is no fault of ours */
async function checkAll(
  requests: Arbitrary<WireRequest>,
  statusesOf: (request: WireRequest) => readonly number[] | null,
): Promise<void> {
  await fuzz(SHARE, requests, async (request) => {
    const answer = await wire.send(request);
    const statuses = statusesOf(request);
    requireNoFaults(null, request, answer, [
      ...(statuses === null || statuses.includes(answer.status) ? [] : [`is not answered ${statuses.join(' or ')}`]),
      ...findCommonFaults(request, answer),
    ]);
  });
  expect((await wire.send(get('/livez'))).status).toBe(200);
}

/** Checks that apply to every answer, described or not. */
function findCommonFaults({ method }: WireRequest, { status, headers, text }: WireAnswer): string[] {
  const isError = status >= 400 && method !== 'HEAD';
  return [
    ...(status >= 500 ? [`is answered ${status}`] : []),
    ...(headers.has('x-request-id') ? [] : ['has no request id']),
    ...(headers.get('x-content-type-options') === 'nosniff' ? [] : ['may be taken for another type']),
    ...(isError && apiErrorSchema.safeParse(JSON.parse(text)).data?.status !== status ? ['is no error of ours'] : []),
  ];
}

function get(target: string, headers: WireRequest['headers'] = []): WireRequest {
  return { method: 'GET', target, headers };
}
