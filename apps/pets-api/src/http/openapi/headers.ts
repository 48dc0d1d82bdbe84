import type { Header, Parameter, Reference } from './openapi-types.js';
import { refTo } from './openapi-types.js';

export const exampleRequestId = '4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55';
const exampleTraceParent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const requestId = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
const text = { type: 'string' };
const seconds = { type: 'integer', format: 'int32', minimum: 0 };

/** Every header that an answer can carry, beyond those of HTTP itself. */
export const answerHeaders = {
  'X-Request-Id': {
    description: 'What the request goes by in our logs: the client’s own, if it sent an acceptable one.',
    required: true,
    schema: requestId,
    example: exampleRequestId,
  },
  traceparent: {
    description: 'The trace that the request belongs to, by W3C Trace Context.',
    schema: text,
    example: exampleTraceParent,
  },
  'Cache-Control': {
    description: 'Nothing that a key is needed for may be kept.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
    example: 'no-store',
  },
  'X-Content-Type-Options': {
    description: 'The content type is meant.',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
    example: 'nosniff',
  },
  'RateLimit-Policy': {
    description: 'How many requests (`q`) an organization may make in how many seconds (`w`), where a limit is set.',
    schema: text,
    example: '"default";q=1000;w=60',
  },
  RateLimit: {
    description: 'How many are left (`r`), and in how many seconds (`t`) there are more, where a limit is set.',
    schema: text,
    example: '"default";r=999;t=60',
  },
  'Retry-After': {
    description: 'Seconds after which to ask again.',
    schema: seconds,
    example: 30,
  },
  'WWW-Authenticate': {
    description: 'What the key is or lacks, by RFC 6750.',
    schema: text,
    example: 'Bearer realm="pets-api", error="insufficient_scope", scope="pets:write"',
  },
  Allow: {
    description: 'The methods that the path has.',
    required: true,
    schema: text,
    example: 'GET, HEAD, OPTIONS, POST',
  },
  Location: {
    description: 'Where the new thing is.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
    example: '/v1/pets/10',
  },
  Link: {
    description:
      'By RFC 8288. `rel="next"`: the next page; none on the last one. On a deprecated operation: `successor-version`, ' +
      '`deprecation` and `sunset`.',
    schema: text,
    example: '<https://api.pets.example/v1/pets?limit=20&cursor=eyJ2IjoxfQ>; rel="next"',
  },
  'X-Accel-Buffering': {
    description: 'Of a stream: proxies are to pass it on at once.',
    schema: { type: 'string', const: 'no' },
    example: 'no',
  },
  ETag: {
    description: 'Tells this one from any other, by RFC 9110 §8.8.3: for `If-Match` and `If-None-Match`.',
    required: true,
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$' },
    example: '"Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"',
  },
  Deprecation: {
    // Not required: what is refused before an operation is found (405, 417) does not have it.
    description: 'Since when the operation is deprecated, by RFC 9745.',
    schema: { type: 'string', pattern: '^@[0-9]+$' },
    example: '@1764547200',
  },
  Sunset: {
    // Not required, as above.
    description: 'When the operation ends, by RFC 8594.',
    schema: text,
    example: 'Thu, 05 Dec 2030 00:00:00 GMT',
  },
  'Idempotent-Replayed': {
    description: 'The answer is the stored one of the first request with this `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
} as const satisfies Record<string, Header>;

export type AnswerHeaderName = keyof typeof answerHeaders;

export const headersOfAllAnswers = [
  'X-Request-Id',
  'traceparent',
  'Cache-Control',
  'X-Content-Type-Options',
  'RateLimit-Policy',
  'RateLimit',
] as const satisfies readonly AnswerHeaderName[];

export function headerRefs(names: readonly AnswerHeaderName[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]));
}

/** Headers that requests may carry. */
export const requestHeaders = {
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'What the request is to go by in our logs. One that is not acceptable is replaced.',
    schema: requestId,
    example: exampleRequestId,
  },
  TraceParent: {
    name: 'traceparent',
    in: 'header',
    description: 'The trace that the request belongs to, by W3C Trace Context.',
    schema: text,
    example: exampleTraceParent,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes repeating safe: for 24 hours the same key with the same body is answered the same, without doing it ' +
      'again. Bare or in quotes.',
    schema: {
      type: 'string',
      pattern: String.raw`^(?:[A-Za-z0-9_.:~+/=@-]{1,255}|"(?:[ !#-\[\]-~]|\\["\\]){1,255}")$`,
    },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'Of a stream: the id of the last event that was seen, behind which it goes on; `0` for the beginning.',
    schema: { type: 'string', pattern: '^(?:0|[1-9][0-9]{0,17})$' },
    example: '4',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'Only if it still is the one with this `ETag`, or one of several; `*`: whichever it is.',
    schema: { type: 'string' },
    example: '"Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Only if it is not the one with this `ETag`, nor one of several: reading it is answered 304 then.',
    schema: { type: 'string' },
    example: '"Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"',
  },
} as const satisfies Record<string, Parameter>;
