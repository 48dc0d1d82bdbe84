import { isUtf8 } from 'node:buffer';
import { UNSTORABLE_TEXT } from '@pets/contracts';
import { RequestError } from '@pets/platform';
import { scanJson } from './scan-json.js';

const MAX_DEPTH = 32;

/**
 * Parses a JSON body with every digit: an integer that a double cannot hold becomes a `bigint`, and a number that is not
 * written as a plain integer a symbol, which every schema refuses: `1.0` and `1e3` are not integers to us. Text that
 * PostgreSQL cannot hold becomes `UNSTORABLE_TEXT`, refused in the same way, so that it is one fault among the others.
 * Refuses what would lose something or hurt: invalid UTF-8, nesting deeper than 32, keys given twice, keys that could reach
 * a prototype. Many clients announce JSON even where they send no body: an empty one is no value, which operations that
 * need a body refuse by their schema.
 *
 * An ordinary body is parsed natively; only uncommon numbers take the slower way that sees their source.
 * @throws RequestError `malformed_json`
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  const { depth, members, hasEscapes, hasUncommonNumbers } = scanJson(text);
  if (depth > MAX_DEPTH) throw malformed(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  const value = parse(text, hasUncommonNumbers);
  if (countMembers(value, hasEscapes) !== members) throw malformed('The body has an object with a duplicate key.');
  return isUnstorable(value, hasEscapes) ? UNSTORABLE_TEXT : value;
}

function parse(text: string, withSource: boolean): unknown {
  try {
    return (withSource ? JSON.parse(text, reviveExactly) : JSON.parse(text)) as unknown;
  } catch (error) {
    throw malformed(`The body is not valid JSON${placeOf(error)}.`);
  }
}

/** Where the parser gave up. Its own words change with its versions, and quote the body. */
function placeOf(error: unknown): string {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : ` at character ${Number(position) + 1}`;
}

function reviveExactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  if (!/^-?\d+$/.test(source)) return Symbol(source);
  return Number.isSafeInteger(value) ? value : BigInt(source);
}

/** Counts the members of all objects below, refuses keys that must not get any further, and replaces such texts. */
function countMembers(value: unknown, hasEscapes: boolean): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isArray = Array.isArray(value);
  const container = value as Record<string, unknown>; // an array has its items by their index
  const keys = Object.keys(container);
  let members = isArray ? 0 : keys.length;
  for (const key of keys) {
    if (!isArray) checkKey(key, hasEscapes);
    if (isUnstorable(container[key], hasEscapes)) container[key] = UNSTORABLE_TEXT;
    else members += countMembers(container[key], hasEscapes);
  }
  return members;
}

/** Half a surrogate pair and NUL come in by escapes only; the bytes are valid UTF-8, and raw controls are no JSON. */
function isUnstorable(value: unknown, hasEscapes: boolean): boolean {
  return hasEscapes && typeof value === 'string' && (!value.isWellFormed() || value.includes('\0'));
}

/**
 * Copied into another object such a member could change the prototype of all objects; Nest drops it before any schema
 * could refuse it. No operation has a field of such a name.
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
