/**
 * Anybody can put 64 KB into an answer of DNS. Decisions are made on all of it; kept and shown is as much as a reader can
 * use, and it says what was left out. Cutting twice changes nothing more.
 */
const MAX_VALUE_BYTES = 512;
const MAX_LIST_VALUES = 16;
const MAX_LIST_BYTES = 1_024;
/** For the last value of a list, which says how many are missing. */
const REST_BYTES = 32;

/** A text of at most so many bytes, and how many it had where it was longer. */
export function truncateText(text: string, maxBytes = MAX_VALUE_BYTES): string {
  // Each character of a string has one byte at least, and three at most.
  if (text.length * 3 <= maxBytes) return text;
  const bytes = bytesOf(text);
  if (bytes <= maxBytes) return text;
  const suffix = `… (${bytes} bytes, cut)`;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes - bytesOf(suffix)));
  return text.slice(0, read) + suffix;
}

/** A list that can be shown: few values, none of them long, and how many more there were. */
export function truncateList(values: readonly string[]): readonly string[] {
  const shown = values.slice(0, MAX_LIST_VALUES).map((value) => truncateText(value));
  if (values.length <= MAX_LIST_VALUES && sum(shown.map(bytesOf)) <= MAX_LIST_BYTES) return shown;
  let left = MAX_LIST_BYTES - REST_BYTES;
  const kept = shown.slice(0, -1).filter((value) => (left -= bytesOf(value)) >= 0);
  return [...kept, `… and ${values.length - kept.length} more`];
}

export function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * How many of each set fit into a number of bytes together: a first one of each set, then a second one, and so on.
 * @param sizes of the values of each set
 */
export function allocateBytes(sizes: readonly (readonly number[])[], maxBytes: number): number[] {
  const counts = sizes.map(() => 0);
  const longest = Math.max(0, ...sizes.map(({ length }) => length));
  let left = maxBytes;
  for (let round = 0; round < longest; round += 1) {
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
