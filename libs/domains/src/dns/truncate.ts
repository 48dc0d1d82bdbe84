/**
 * Limits for text of strangers: anybody can publish 64 KB in a DNS answer. Decisions use all of it; what is stored and shown is
 * truncated, with a note of what was left out. Truncation is idempotent.
 */
const MAX_VALUE_BYTES = 512;
const MAX_LIST_VALUES = 16;
const MAX_LIST_BYTES = 1_024;
/** Reserved for the last value of a list, which states how many are missing. */
const REST_BYTES = 32;

/** Truncates a text to a number of bytes in UTF-8, followed by its original size. */
export function truncateText(text: string, maxBytes = MAX_VALUE_BYTES): string {
  const bytes = bytesOf(text);
  if (bytes <= maxBytes) return text;
  const suffix = `… (${bytes} bytes, cut)`;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes - bytesOf(suffix)));
  return text.slice(0, read) + suffix;
}

/** Truncates a list: few values, none of them long, followed by the number of values left out. */
export function truncateList(values: readonly string[]): readonly string[] {
  const shown = values.slice(0, MAX_LIST_VALUES).map((value) => truncateText(value));
  if (values.length <= MAX_LIST_VALUES && sum(shown.map(bytesOf)) <= MAX_LIST_BYTES) return shown;
  let left = MAX_LIST_BYTES - REST_BYTES;
  const kept = shown.slice(0, -1).filter((value) => (left -= bytesOf(value)) >= 0);
  return [...kept, `… and ${values.length - kept.length} more`];
}

/** The size in UTF-8. */
export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * Distributes a number of bytes over several sets, round by round: the first value of each set, then the second, and so on.
 * @param sizes sizes of the values of each set
 * @returns how many values of each set fit
 */
export function allocateBytes(sizes: readonly (readonly number[])[], maxBytes: number): number[] {
  const counts = sizes.map(() => 0);
  const longest = Math.max(0, ...sizes.map(({ length }) => length));
  let left = maxBytes;
  for (const round of Array(longest).keys()) {
    for (const [index, set] of sizes.entries()) {
      const size = set[round];
      if (size === undefined || counts[index] !== round || size > left) continue;
      counts[index] = round + 1;
      left -= size;
    }
  }
  return counts;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
