import { DomainError } from '@pets/platform';

declare global {
  interface JSON {
    /** ECMAScript 2026; TypeScript does not know it yet. */
    rawJSON(text: string): unknown;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const MAX_DEPTH = 32;

/**
 * Parses a JSON body with every digit: an integer that a double cannot hold becomes a `bigint`. Refuses what would lose
 * something or hurt: invalid UTF-8, nesting deeper than 32, keys that could reach a prototype. Many clients announce JSON
 * even where they send no body: an empty one is no value, which operations that need a body refuse by their schema.
 * @throws DomainError `malformed_json`
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw malformed('The body is not valid UTF-8.');
  }
  if (isTooDeep(text)) throw malformed(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  try {
    return JSON.parse(text, reviveExactly);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw malformed(`The body is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function reviveExactly(key: string, value: unknown, context?: { source?: string }): unknown {
  if (key === '__proto__') throw malformed('The body has a key that is not allowed: __proto__');
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value;
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** Counted on the text, before parsing, so that no recursion runs over a hostile body. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (isInString) {
      if (char === '\\') i++;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{' || char === '[') {
      if (++depth > MAX_DEPTH) return true;
    } else if (char === '}' || char === ']') depth--;
  }
  return false;
}

function malformed(message: string): DomainError {
  return new DomainError('malformed_json', message);
}

/** Writes a response body; a `bigint` becomes a JSON integer with all its digits. */
export function stringifyExactly(payload: unknown): string {
  return JSON.stringify(payload, (_key, value: unknown) =>
    typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value,
  );
}
