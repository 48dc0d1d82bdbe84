declare global {
  interface JSON {
    /** ECMAScript 2026; TypeScript does not know it yet. */
    rawJSON(text: string): unknown;
  }
}

/**
 * Reads JSON with every digit: an integer that a double would round becomes a `bigint`, all else is what it always is.
 * @throws SyntaxError
 */
export function parseExactly(text: string): unknown {
  if (!knowsDigits) return parseMarked(text);
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    const isExact = typeof value !== 'number' || source === undefined || Number.isSafeInteger(value);
    return isExact || !/^-?\d+$/.test(source) ? value : BigInt(source);
  });
}

/** Writes JSON; a `bigint` becomes an integer with all its digits. */
export function stringifyWithBigInt(value: unknown): string {
  if (!knowsDigits) return stringifyMarked(value);
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}

/** Node 20 and older browsers do not tell the digits of a number in JSON. */
const knowsDigits = 'rawJSON' in JSON;

/** Begins a string that is an integer. Nobody else knows it, so no text of others begins like this. */
const mark = `integer:${knowsDigits ? '' : crypto.getRandomValues(new Uint32Array(4)).join('-')}:`;
const strings = /"(?:[^"\\]|\\.)*"/y;
const numbers = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Parses as `parseExactly`. Meanwhile, integers that a double would round are strings with a mark. */
export function parseMarked(text: string): unknown {
  JSON.parse(text); // an error must show the text as it came
  let marked = '';
  let at = 0;
  while (at < text.length) {
    const token = tokenAt(text, at);
    const isRounded = /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token));
    marked += isRounded ? `"${mark}${token}"` : token;
    at += token.length;
  }
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** Writes as `stringifyWithBigInt`. */
export function stringifyMarked(value: unknown): string {
  const marked = JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? `${mark}${member}` : member,
  );
  return marked.replaceAll(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1');
}

/** A string, a number, or one character between them. */
function tokenAt(text: string, at: number): string {
  for (const pattern of [strings, numbers]) {
    pattern.lastIndex = at;
    const token = pattern.exec(text)?.[0];
    if (token !== undefined) return token;
  }
  return text.charAt(at);
}
