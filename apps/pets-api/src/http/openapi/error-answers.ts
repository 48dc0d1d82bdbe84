import {
  apiErrorSchema,
  errorDescriptions,
  errorsOf,
  errorStatus,
  exampleErrorOf,
  operations,
  problemDetailsSchema,
  problemOf,
  type ErrorCode,
  type Operation,
} from '@pets/contracts';
import { exampleRequestId, headerRefs, headersOfAllAnswers, type AnswerHeaderName } from './headers.js';
import { refTo, type Example, type Reference, type Response, type Schemas } from './schemas.js';

/** One shared answer a status. Its name is that of the component. */
const shared = {
  400: { name: 'BadRequest', says: 'The request is not valid.' },
  401: { name: 'Unauthenticated', says: 'The key is missing or not valid.' },
  403: { name: 'Forbidden', says: 'The key, or the organization’s plan, does not allow this.' },
  404: { name: 'NotFound', says: 'The resource does not exist.' },
  405: { name: 'MethodNotAllowed', says: 'The path does not support this method.' },
  406: { name: 'NotAcceptable', says: 'The client accepts none of the available content types.' },
  408: { name: 'RequestTimeout', says: 'The request did not arrive in time.' },
  409: { name: 'Conflict', says: 'The current state does not allow this.' },
  410: { name: 'Gone', says: 'The operation was removed.' },
  412: { name: 'PreconditionFailed', says: 'The resource does not match the condition of the request.' },
  413: { name: 'PayloadTooLarge', says: 'The body is too large.' },
  414: { name: 'UriTooLong', says: 'The URL has more than 4 096 characters, or a part of its path is too long.' },
  415: { name: 'UnsupportedMediaType', says: 'The content type of the body is not supported.' },
  417: { name: 'ExpectationFailed', says: 'The expectation is not supported.' },
  422: { name: 'UnprocessableContent', says: 'The Idempotency-Key was used for another request.' },
  429: {
    name: 'TooManyRequests',
    says: 'The organization exceeds its rate limit, its limit of open streams, or its share of requests under way.',
  },
  431: { name: 'HeadersTooLarge', says: 'The header section is too large.' },
  500: { name: 'InternalServerError', says: 'Something went wrong on our side.' },
  503: { name: 'ServiceUnavailable', says: 'The service is temporarily unavailable.' },
} as const satisfies Record<ErrorStatus, { name: string; says: string }>;

type ErrorStatus = (typeof errorStatus)[ErrorCode];

/** Headers that come with a status. */
const headersOfStatus: Readonly<Partial<Record<ErrorStatus, readonly AnswerHeaderName[]>>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  405: ['Allow'],
  409: ['Retry-After'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

const codes = Object.keys(errorStatus) as ErrorCode[]; // the keys of a constant

/**
 * `components.responses`: each status with every code it is sent with. A status that only deprecated operations have is
 * not among them, since those spell their answers out.
 */
export function sharedErrorAnswers(schemas: Schemas): Record<string, Response> {
  const lasting = Object.values<Operation>(operations).filter(({ deprecated }) => deprecated === undefined);
  const statuses = new Set(lasting.flatMap(errorsOf).map((code) => errorStatus[code]));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const { name, says } = shared[status];
      const own = codes.filter((code) => errorStatus[code] === status);
      return [name, errorAnswer(schemas, { description: says, codes: own, headers: [] })];
    }),
  );
}

/** `components.examples`: each code in both forms. */
export function errorExamples(publicUrl: string): Record<string, Example> {
  const errors = codes.map(exampleErrorOf);
  const exampleOf = (code: ErrorCode, value: unknown): Example => ({ summary: errorDescriptions[code].meaning, value });
  return {
    ...Object.fromEntries(errors.map((error) => [error.code, exampleOf(error.code, error)])),
    ...Object.fromEntries(
      errors.map((error) => [
        problemExampleOf(error.code),
        exampleOf(error.code, problemOf(error, { publicUrl, requestId: exampleRequestId })),
      ]),
    ),
  };
}

/**
 * The answers to an operation's errors, by status: references to the shared ones, which say what this operation means
 * by them; spelt out where they carry more headers than the shared ones.
 */
export function errorAnswersOf(
  schemas: Schemas,
  operation: { readonly codes: readonly ErrorCode[]; readonly headers: readonly AnswerHeaderName[] },
): Record<string, Response | Reference> {
  const statuses = [...new Set(operation.codes.map((code) => errorStatus[code]))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const own = operation.codes.filter((code) => errorStatus[code] === status);
      const description = `${shared[status].says} ${own.map((code) => `\`${code}\``).join(', ')}.`;
      const { headers } = operation;
      return [
        String(status),
        headers.length > 0
          ? errorAnswer(schemas, { description, codes: own, headers })
          : { ...refTo('responses', shared[status].name), description },
      ];
    }),
  );
}

function errorAnswer(
  schemas: Schemas,
  answer: { description: string; codes: readonly ErrorCode[]; headers: readonly AnswerHeaderName[] },
): Response {
  const [status] = answer.codes.map((code) => errorStatus[code]);
  if (status === undefined) throw new Error(`no code is sent with: ${answer.description}`);
  const examples = (nameOf: (code: ErrorCode) => string) =>
    Object.fromEntries(answer.codes.map((code) => [code, refTo('examples', nameOf(code))]));
  return {
    description: answer.description,
    headers: headerRefs([...headersOfAllAnswers, ...(headersOfStatus[status] ?? []), ...answer.headers]),
    content: {
      'application/json': { schema: schemas.of(apiErrorSchema), examples: examples((code) => code) },
      'application/problem+json': { schema: schemas.of(problemDetailsSchema), examples: examples(problemExampleOf) },
    },
  };
}

function problemExampleOf(code: ErrorCode): string {
  return `${code}_problem`;
}
