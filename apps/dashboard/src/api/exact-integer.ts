/** The most that a signed 64-bit integer holds. */
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** An identifier of the API: a number, or a `bigint` where a number would round it. */
export type ExactInteger = number | bigint;

/** Reads what somebody typed as a 64-bit integer, with all its digits; null for anything else. */
export function parseInteger(text: string): ExactInteger | null {
  const digits = text.trim();
  if (!/^-?\d{1,19}$/.test(digits)) return null;
  const value = BigInt(digits);
  if (value > INT64_MAX || value < INT64_MIN) return null;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** The interface description has no word for `bigint`, so the client's types say `number`; the client sends either. */
export function onTheWire(value: ExactInteger): number {
  return value as number;
}
