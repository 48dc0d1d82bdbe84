import { errorsOf, errorStatus, operations, type ErrorCode, type Operation } from '@pets/contracts';
import { components, type DescribedOperation } from './document.js';
import { Decimal, isObject, parseJson, typesOf, type Json, type Schema } from './json.js';
import { findFaults } from './schema-check.js';
import { formatExchange, type WireAnswer, type WireRequest } from './wire.js';

/** Headers of HTTP itself and of CORS, which no description of an interface lists. */
const framing = new Set([
  'access-control-allow-origin',
  'access-control-expose-headers',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
]);

/** Returns the headers of an answer that its description does not have. */
export function undescribedHeaders(sent: readonly string[], described: readonly string[]): string[] {
  const names = new Set(described.map((name) => name.toLowerCase()));
  return sent.filter((name) => !names.has(name.toLowerCase()) && !framing.has(name.toLowerCase()));
}

/** Forbidden in messages: stack traces, and PostgreSQL's errors about statements. */
const leaks =
  /\n[^\S\n]+at |node_modules|file:\/\/|violates [a-z-]+ constraint|invalid input syntax|invalid byte sequence|relation "|out of range for type/;

/** Wording of the validator, which is also forbidden in messages. */
const validatorWords =
  /Invalid (?:input|option|string|number|date|key|value|UUID|URL|ISO|discriminator)|expected [a-z]+, received|Too (?:big|small): |Unrecognized key/;

/**
 * @param operation null for an answer that the OpenAPI document does not describe
 * @param faults that the caller found
 * @throws Error with all faults and the exchange, so that it can be repeated
 */
export function requireNoFaults(
  operation: DescribedOperation | null,
  request: WireRequest,
  answer: WireAnswer,
  faults: readonly string[] = [],
): void {
  const all = [...faults, ...(operation === null ? [] : findAnswerFaults(operation, request, answer))];
  if (all.length > 0) throw new Error(`${all.join('\n')}\n${formatExchange(request, answer)}`);
}

/** Compares an answer with the OpenAPI document, which must describe everything in it. */
function findAnswerFaults(operation: DescribedOperation, request: WireRequest, answer: WireAnswer): string[] {
  const { status } = answer;
  if (status >= 500) return [`is answered ${status}`];
  const described = operation.answers.get(status);
  if (described === undefined) return [`the status ${status} is not described`];
  return [
    ...undescribedHeaders([...answer.headers.keys()], [...described.headers.keys()]).map(
      (name) => `the header ${name} is not described`,
    ),
    ...[...described.headers].flatMap(([name, { required, schema }]) => {
      const value = answer.headers.get(name);
      if (value === undefined) return required ? [`the header ${name} is missing`] : [];
      return findFaults(schema, asJson(value, typesOf(schema).includes('integer')), components, name);
    }),
    ...(request.method === 'HEAD' ? findBodyOfHead(answer) : findBodyFaults(operation, answer)),
  ];
}

const bodies = new WeakMap<WireAnswer, Json>();

/** Parses the body once for all checks. @throws SyntaxError */
function bodyOf(answer: WireAnswer): Json {
  const body = bodies.get(answer) ?? parseJson(answer.text);
  bodies.set(answer, body);
  return body;
}

/** The code and message of an error, in either format; null for any other answer. */
export function errorOf(answer: WireAnswer): { readonly code: string; readonly message: string } | null {
  const body = answer.status < 400 || answer.text === '' ? null : bodyOf(answer);
  if (body === null || !isObject(body)) return null;
  const [code, message] = [body.code, body.message ?? body.detail];
  return { code: typeof code === 'string' ? code : '', message: typeof message === 'string' ? message : '' };
}

function asJson(text: string, isInteger: boolean): Json {
  return isInteger && /^\d+$/.test(text) ? Number(text) : text;
}

function findBodyOfHead({ text }: WireAnswer): string[] {
  return text === '' ? [] : ['an answer to HEAD has a body'];
}

function findBodyFaults(operation: DescribedOperation, answer: WireAnswer): string[] {
  const { status, headers, text } = answer;
  const content: ReadonlyMap<string, Schema> = operation.answers.get(status)?.content ?? new Map<string, Schema>();
  if (content.size === 0) return text === '' ? [] : [`an answer of ${status} has a body`];
  const type = headers.get('content-type') ?? '';
  const schema = content.get(type.replace(/; charset=utf-8$/, ''));
  if (schema === undefined) return [`the content type ${type} is not described`];
  if (schema.format === 'binary') return [];
  const body = bodyOf(answer);
  return [
    ...findFaults(schema, body, components, 'body'),
    ...(status >= 400 ? findErrorFaults(operation, answer, body) : []),
  ];
}

function findErrorFaults({ id }: DescribedOperation, answer: WireAnswer, body: Json): string[] {
  const operation = Object.entries<Operation>(operations).find(([name]) => name === id)?.[1];
  const error = errorOf(answer);
  if (operation === undefined || error === null || !isObject(body)) return ['is no error of ours'];
  const code = errorsOf(operation).find((each) => each === error.code);
  return [
    ...(code === undefined ? [`the code ${error.code} is not described for ${id}`] : []),
    ...(isStatusOf(code, answer.status) && body.status === answer.status ? [] : ['code and status do not agree']),
    ...(leaks.test(error.message) ? ['the message shows what is inside'] : []),
    ...(validatorWords.test(answer.text) ? ['the message is the validator’s'] : []),
  ];
}

function isStatusOf(code: ErrorCode | undefined, status: number): boolean {
  return code !== undefined && errorStatus[code] === status;
}

/** Finds members of the request that the answer repeats with another value. Unicode normalization is expected. */
export function findLostDigits(sent: Json | undefined, answer: WireAnswer): string[] {
  if (answer.status !== 201 || !isObject(sent)) return [];
  const body = bodyOf(answer);
  if (!isObject(body)) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    const back = body[name];
    if (back === undefined || canonical(back) === canonical(value)) return [];
    return [`${name} was sent as ${canonical(value)} and came back as ${canonical(back)}`];
  });
}

function canonical(value: Json): string {
  if (typeof value === 'string') {
    return /^\d{4}-\d\d-\d\dT/.test(value) ? new Date(value).toISOString() : value.normalize('NFC');
  }
  if (value instanceof Decimal) return value.source;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
