const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/** An ID of the API: a `bigint` when a number would round it. */
export type ExactInteger = number | bigint;

/** Parses user input as a 64-bit integer; null for anything else. */
export function parseInteger(text: string): ExactInteger | null {
  const digits = text.trim();
  if (!/^-?\d{1,19}$/.test(digits)) return null;
  const value = BigInt(digits);
  if (value > INT64_MAX || value < INT64_MIN) return null;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** The OpenAPI types say `number`, but the client also sends a `bigint`. */
export function toWireInteger(value: ExactInteger): number {
  return value as number;
}
