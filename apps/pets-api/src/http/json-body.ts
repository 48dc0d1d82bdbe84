import { isUtf8 } from 'node:buffer';
import { UNSTORABLE_TEXT } from '@pets/contracts';
import { RequestError } from '@pets/platform';

const MAX_DEPTH = 32;
/** A batch of 1 000 names with all labels has 19 000. Each that a schema refuses costs an error. */
const MAX_MEMBERS = 20_000;
/** Members of one object. */
const MAX_KEYS = 200;
/** Items of one array; schemas allow fewer, and say so. */
const MAX_ITEMS = 10_000;

/**
 * Parses a JSON body with every digit: an integer that a double cannot hold becomes a `bigint`, and a number that is
 * not written as a plain integer a symbol, which every schema refuses: `1.0` and `1e3` are not integers to us. Text
 * that PostgreSQL cannot hold becomes `UNSTORABLE_TEXT`, refused in the same way, so that it is one fault among the
 * others. Refuses what would lose something or hurt: invalid UTF-8, nesting deeper than 32, keys given twice, keys that
 * could reach a prototype, more values than any operation takes. Many clients announce JSON even where they send no body:
 * an empty one is no value, which operations that need a body refuse by their schema.
 *
 * An ordinary body is parsed natively; only uncommon numbers take the slower way that sees their source.
 * @throws RequestError `malformed_json`
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8.');
  // RFC 8259 §8.1 allows to ignore a byte order mark.
  const text = bytes.toString('utf8').replace(/^\ufeff/, '');
  const { depth, members, hasEscapes, hasUncommonNumbers } = scanJson(text);
  if (depth > MAX_DEPTH) throw malformed(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  if (members > MAX_MEMBERS) throw malformed(`The body has more than ${MAX_MEMBERS} members.`);
  const value = parse(text, hasUncommonNumbers);
  if (countMembers(value, hasEscapes) !== members) throw malformed('The body has an object with a duplicate key.');
  return isUnstorable(value, hasEscapes) ? UNSTORABLE_TEXT : value;
}

function parse(text: string, withSource: boolean): unknown {
  try {
    return (withSource ? JSON.parse(text, reviveWithSource) : JSON.parse(text)) as unknown;
  } catch (error) {
    throw malformed(`The body is not valid JSON${placeOf(error)}.`);
  }
}

/** The position of the error. The parser's own message varies with versions and quotes the body. */
function placeOf(error: unknown): string {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : ` at character ${Number(position) + 1}`;
}

function reviveWithSource(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  if (!/^-?\d+$/.test(source)) return Symbol(source);
  return Number.isSafeInteger(value) ? value : BigInt(source);
}

/** Counts the members of all nested objects, rejects forbidden keys, and replaces text that cannot be stored. */
function countMembers(value: unknown, hasEscapes: boolean): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isArray = Array.isArray(value);
  const container = value as Record<string, unknown>; // an array has its items by their index
  const keys = Object.keys(container);
  if (isArray && keys.length > MAX_ITEMS) throw malformed(`The body has an array of more than ${MAX_ITEMS} items.`);
  if (!isArray && keys.length > MAX_KEYS) throw malformed(`The body has an object of more than ${MAX_KEYS} members.`);
  let members = isArray ? 0 : keys.length;
  for (const key of keys) {
    if (!isArray) checkKey(key, hasEscapes);
    if (isUnstorable(container[key], hasEscapes)) container[key] = UNSTORABLE_TEXT;
    else members += countMembers(container[key], hasEscapes);
  }
  return members;
}

/** Only escapes can produce lone surrogates and NUL: the bytes are valid UTF-8, and JSON has no raw controls. */
function isUnstorable(value: unknown, hasEscapes: boolean): boolean {
  return hasEscapes && typeof value === 'string' && (!value.isWellFormed() || value.includes('\0'));
}

/**
 * When copied, such a member could change the prototype of all objects. Nest drops it before a schema could reject it.
 * No operation has a field with such a name.
 */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

function checkKey(key: string, hasEscapes: boolean): void {
  if (forbiddenKeys.has(key)) throw malformed(`The body has a key that is not allowed: ${key}`);
  if (isUnstorable(key, hasEscapes))
    throw malformed('The body has a key that is not well-formed text or contains NUL.');
}

function malformed(message: string): RequestError {
  return new RequestError('malformed_json', message);
}

/** Properties of a JSON text before parsing. */
export interface JsonScan {
  readonly depth: number;
  /** Colons outside of strings: in valid JSON, one for each member, including duplicate keys. */
  readonly members: number;
  readonly hasEscapes: boolean;
  /** A number that is no short plain integer (a fraction, an exponent, 16 digits or more): a double might change it. */
  readonly hasUncommonNumbers: boolean;
}

/** Sixteen digits may already be beyond 2^53. */
const SAFE_DIGITS = 15;

/**
 * Scans the text once, without recursion, so that a hostile body cannot overflow the stack. `indexOf` skips strings.
 * For text that is not JSON the result is meaningless; the parser rejects it afterwards.
 */
export function scanJson(text: string): JsonScan {
  const hasEscapes = text.includes('\\');
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let digits = 0;
  let hasUncommonNumbers = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char >= 0x30 && char <= 0x39) {
      if (++digits > SAFE_DIGITS) hasUncommonNumbers = true;
      continue;
    }
    // `e` follows a digit in a number only, not in `true`.
    if (digits > 0 && (char === 0x2e || char === 0x65 || char === 0x45)) hasUncommonNumbers = true;
    digits = 0;
    if (char === 0x22) at = endOfString(text, at + 1, hasEscapes);
    else if (char === 0x3a) members++;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x7d || char === 0x5d) depth--;
  }
  return { depth: deepest, members, hasEscapes, hasUncommonNumbers };
}

/** The index of the closing quote, or the length of the text. */
function endOfString(text: string, from: number, hasEscapes: boolean): number {
  if (!hasEscapes) {
    const end = text.indexOf('"', from);
    return end === -1 ? text.length : end;
  }
  let at = from;
  while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  return at;
}

declare global {
  interface JSON {
    /** ECMAScript 2026; TypeScript does not know it yet. */
    rawJSON(text: string): unknown;
  }
}

/**
 * Serializes a response body; a `bigint` becomes a JSON integer with all its digits. They are replaced first, because a
 * replacer function would double the time.
 */
export function stringifyWithBigInt(payload: unknown): string {
  return JSON.stringify(withoutBigints(payload));
}

/** The same value, copied only where a `bigint` was. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return jsonInteger(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? itemsWithoutBigints(value) : membersWithoutBigints(value as Record<string, unknown>);
}

function itemsWithoutBigints(items: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = withoutBigints(items[index]);
    if (item !== items[index]) (copy ??= items.slice())[index] = item;
  }
  return copy ?? items;
}

function membersWithoutBigints(object: Readonly<Record<string, unknown>>): unknown {
  let copy: Record<string, unknown> | undefined;
  for (const key in object) {
    const member = withoutBigints(object[key]);
    if (member !== object[key]) (copy ??= { ...object })[key] = member;
  }
  // Objects with `toJSON` serialize themselves.
  return copy === undefined || typeof object.toJSON === 'function' ? object : copy;
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** A safe integer as a number: serialized twice as fast as raw text. */
function jsonInteger(value: bigint): unknown {
  return value <= MAX_SAFE && value >= -MAX_SAFE ? Number(value) : JSON.rawJSON(String(value));
}
