import { isFieldName, isFieldValue, isHopByHop, nominatedFields, type Fields } from './fields.js';
import { OriginError } from './origin-error.js';

export interface AnswerContext {
  /** Names at and below it are the platform's. */
  readonly platformDomain: string;
  /** Whether the project sets its own Strict-Transport-Security. */
  readonly hasHsts: boolean;
}

/** More than any application sends. Each costs memory on both sides, however short it is. */
const MAX_FIELDS = 1_000;

/**
 * The fields of an answer that visitors get: those of the application without those of its connection, without `Alt-Svc`, which
 * would lead visitors past the edge, and without cookies for names of other customers.
 * @throws OriginError when a field is not valid HTTP, or the body is encoded in a way that the edge does not know
 */
export function answerFields(received: Fields, { platformDomain, hasHsts }: AnswerContext): string[] {
  if (received.length > 2 * MAX_FIELDS)
    throw new OriginError('invalid_answer', `the answer has more than ${MAX_FIELDS} fields`);
  const nominated = nominatedFields(received);
  const fields: string[] = [];
  let codings = 0;
  for (let at = 0; at + 1 < received.length; at += 2) {
    const name = received[at] ?? '';
    const value = received[at + 1] ?? '';
    const lower = lowerNameOf(name);
    if (lower === undefined || !isFieldValue(value))
      throw new OriginError('invalid_answer', `the answer has a field that is not valid HTTP: ${shown(name)}`);
    if (lower === 'transfer-encoding' && (++codings > 1 || value.trim().toLowerCase() !== 'chunked'))
      throw new OriginError('invalid_answer', `the answer has the transfer coding ${shown(value)}`);
    if (isHopByHop(lower) || nominated.has(lower) || lower.startsWith('proxy-') || lower === 'alt-svc') continue;
    if (lower === 'strict-transport-security' && hasHsts) continue;
    if (lower === 'set-cookie' && isOfPlatform(value, platformDomain)) continue;
    fields.push(lower, value);
  }
  return fields;
}

/** Names as applications write them, which are the same again and again, in lower case. */
const lowerNames = new Map<string, string>();
const MAX_NAMES = 1_000;
const MAX_NAME_LENGTH = 40;

/** @returns undefined for what is no name of a field */
function lowerNameOf(name: string): string | undefined {
  const known = lowerNames.get(name);
  if (known !== undefined || !isFieldName(name)) return known;
  const lower = name.toLowerCase();
  if (name.length <= MAX_NAME_LENGTH && lowerNames.size < MAX_NAMES) lowerNames.set(name, lower);
  return lower;
}

/** A text that a stranger chose, for a message. */
function shown(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}

const PLAIN_NAME = /^\.?([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)$/;

/**
 * Whether a cookie may be for the platform's domain or one above it, so that browsers would send it to names of other customers.
 * They differ about several domains, and about a domain with dots, percent signs, quotes or letters of other scripts, which some
 * decode: each counts, and what is no plain name is taken for the platform's (RFC 6265 §5.2.3).
 */
function isOfPlatform(setCookie: string, platformDomain: string): boolean {
  return setCookie
    .split(';')
    .slice(1)
    .map((attribute) => splitAt(attribute, '='))
    .filter(([name, value]) => name.trim().toLowerCase() === 'domain' && value.trim() !== '')
    .some(([, value]) => {
      const domain = PLAIN_NAME.exec(value.trim().toLowerCase())?.[1];
      return domain === undefined || `.${platformDomain}`.endsWith(`.${domain}`);
    });
}

function splitAt(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

/** Fields that mean something to a recipient before the body, or say how it is read: no trailers (RFC 9110 §6.5.1). */
const notInTrailers = new Set([
  'content-length',
  'content-encoding',
  'content-type',
  'content-range',
  'host',
  'set-cookie',
  'authorization',
  'cache-control',
  'location',
  'strict-transport-security',
  'www-authenticate',
]);

/** The trailers of an answer that visitors get. @throws OriginError like `answerFields` */
export function trailerFields(received: Fields, context: AnswerContext): string[] {
  const fields = answerFields(received, context);
  return fields.flatMap((name, at) => (at % 2 === 0 && !notInTrailers.has(name) ? [name, fields[at + 1] ?? ''] : []));
}
