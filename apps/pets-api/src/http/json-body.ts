import { isUtf8 } from 'node:buffer';
import { DomainError } from '@pets/platform';
import { surveyJson } from './json-survey.js';

const MAX_DEPTH = 32;

/** A number written with a fraction or an exponent, as it was written: `1.0` and `1e3` are not integers to us. */
class DecimalLiteral {
  constructor(readonly source: string) {}
}

/**
 * Parses a JSON body with every digit: an integer that a double cannot hold becomes a `bigint`, and one that is not
 * written as a plain integer a `DecimalLiteral`, which no schema takes for an integer. Refuses what would lose something
 * or hurt: invalid UTF-8, nesting deeper than 32, keys given twice, keys that could reach a prototype, text that
 * PostgreSQL cannot hold. Many clients announce JSON even where they send no body: an empty one is no value, which
 * operations that need a body refuse by their schema.
 *
 * An ordinary body is parsed natively; only uncommon numbers take the slower way that sees their source.
 * @throws DomainError `malformed_json`, and `invalid_parameter` for text that cannot be kept
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  const { depth, members, hasEscapes, hasUncommonNumbers } = surveyJson(text);
  if (depth > MAX_DEPTH) throw malformed(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  const value = parse(text, hasUncommonNumbers);
  if (countMembers(value, { hasEscapes, trail: [] }) !== members) {
    throw malformed('The body has an object that gives a key twice.');
  }
  return value;
}

function parse(text: string, withSource: boolean): unknown {
  try {
    return (withSource ? JSON.parse(text, reviveExactly) : JSON.parse(text)) as unknown;
  } catch (error) {
    throw malformed(`The body is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function reviveExactly(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined) return value;
  if (!/^-?\d+$/.test(source)) return new DecimalLiteral(source);
  return Number.isSafeInteger(value) ? value : BigInt(source);
}

interface Inspection {
  /** Half a surrogate pair and NUL come in by escapes only; the bytes are valid UTF-8, and raw controls are no JSON. */
  readonly hasEscapes: boolean;
  /** The way down to the value, for messages. */
  readonly trail: (string | number)[];
}

/** Counts the members of all objects below, and refuses what must not get any further. */
function countMembers(value: unknown, inspection: Inspection): number {
  const { hasEscapes, trail } = inspection;
  if (typeof value === 'string') {
    if (hasEscapes) checkText(value, trail);
    return 0;
  }
  if (typeof value !== 'object' || value === null || value instanceof DecimalLiteral) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) members += countBelow(index, value[index], inspection);
    return members;
  }
  for (const key of Object.keys(value)) {
    checkKey(key);
    if (hasEscapes) checkText(key, trail);
    members += 1 + countBelow(key, (value as Record<string, unknown>)[key], inspection);
  }
  return members;
}

function countBelow(step: string | number, value: unknown, inspection: Inspection): number {
  inspection.trail.push(step);
  const members = countMembers(value, inspection);
  inspection.trail.pop();
  return members;
}

/**
 * Copied into another object such a member could change the prototype of all objects; Nest drops it before any schema
 * could refuse it. No operation has a field of such a name.
 */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

function checkKey(key: string): void {
  if (forbiddenKeys.has(key)) throw malformed(`The body has a key that is not allowed: ${key}`);
}

function checkText(text: string, trail: Inspection['trail']): void {
  if (text.isWellFormed() && !text.includes('\0')) return;
  throw new DomainError('invalid_parameter', `${trail.join('.') || 'body'}: must be well-formed text without NUL`);
}

function malformed(message: string): DomainError {
  return new DomainError('malformed_json', message);
}
