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
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    const isExact = typeof value !== 'number' || source === undefined || Number.isSafeInteger(value);
    return isExact || !/^-?\d+$/.test(source) ? value : BigInt(source);
  });
}

/** Writes JSON; a `bigint` becomes an integer with all its digits. */
export function stringifyWithBigInt(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? JSON.rawJSON(String(member)) : member,
  );
}
