import { refTo, type Header, type Parameter, type Reference } from './schemas.js';

export const exampleRequestId = '4e1c3f0a-8a52-4c57-9a39-0c1f6d2b7e55';
const exampleTraceParent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const requestId = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' };
const text = { type: 'string' };
const seconds = { type: 'integer', format: 'int32', minimum: 0 };

/** Every header that an answer can carry, beyond those of HTTP itself. */
export const answerHeaders = {
  'X-Request-Id': {
    description: 'Identifies the request in our logs: the client’s id, if it sent an acceptable one.',
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
    description: 'Responses that require a key must not be cached.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
    example: 'no-store',
  },
  'X-Content-Type-Options': {
    description: 'Tells browsers not to guess the content type.',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
    example: 'nosniff',
  },
  'RateLimit-Policy': {
    description:
      'The number of requests (`q`) that the organization may make in a window of seconds (`w`), if a limit is set.',
    schema: text,
    example: '"default";q=1000;w=60',
  },
  RateLimit: {
    description: 'The requests that are left (`r`), and the seconds until the window resets (`t`), if a limit is set.',
    schema: text,
    example: '"default";r=999;t=60',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    schema: seconds,
    example: 30,
  },
  'WWW-Authenticate': {
    description: 'Why the key was rejected, by RFC 6750.',
    schema: text,
    example: 'Bearer realm="pets-api", error="insufficient_scope", scope="pets:write"',
  },
  Allow: {
    description: 'The methods that the path supports.',
    required: true,
    schema: text,
    example: 'GET, HEAD, OPTIONS, POST',
  },
  Location: {
    description: 'The path of the new resource.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
    example: '/v1/pets/10',
  },
  Link: {
    description:
      'Links by RFC 8288. `rel="next"` is the next page; the last page has none. On a deprecated operation: `successor-version`, ' +
      '`deprecation` and `sunset`.',
    schema: text,
    example: '<https://api.pets.example/v1/pets?limit=20&cursor=eyJ2IjoxfQ>; rel="next"',
  },
  'X-Accel-Buffering': {
    description: 'On a stream: tells proxies not to buffer it.',
    schema: { type: 'string', const: 'no' },
    example: 'no',
  },
  ETag: {
    description: 'Identifies this version of the resource, by RFC 9110 §8.8.3: for `If-Match` and `If-None-Match`.',
    required: true,
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$' },
    example: '"Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"',
  },
  Deprecation: {
    // Not required: what is refused before an operation is found (405, 417) does not have it.
    description: 'When the operation became deprecated, by RFC 9745.',
    schema: { type: 'string', pattern: '^@[0-9]+$' },
    example: '@1764547200',
  },
  Sunset: {
    // Not required, as above.
    description: 'When the operation will be removed, by RFC 8594.',
    schema: text,
    example: 'Thu, 05 Dec 2030 00:00:00 GMT',
  },
  'Idempotent-Replayed': {
    description: 'This is the stored response to the first request with this `Idempotency-Key`.',
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
    description: 'Identifies the request in our logs. An id that is not acceptable is replaced.',
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
      'Makes retries safe: for 24 hours the same key with the same body gets the same response, and nothing is done ' +
      'twice. Bare or in quotes.',
    schema: {
      type: 'string',
      pattern: String.raw`^(?:[A-Za-z0-9_.:~+/=@-]{1,255}|"(?:[ !#-\[\]-~]|\\["\\]){1,255}")$`,
    },
    example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'On a stream: the id of the last event received, after which the stream continues; `0` for the beginning.',
    schema: { type: 'string', pattern: '^(?:0|[1-9][0-9]{0,17})$' },
    example: '4',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'Proceeds only if the resource has this `ETag`, or one of a list; `*` matches any.',
    schema: { type: 'string' },
    example: '"Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Proceeds only if the resource has none of these `ETag`s; otherwise a read answers 304.',
    schema: { type: 'string' },
    example: '"Qg5vKcbcWnFOLP_fq8L2dlbXqYGGWHk3kNnxXzkS2sc"',
  },
} as const satisfies Record<string, Parameter>;
