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
