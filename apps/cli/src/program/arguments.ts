import { InvalidArgumentError } from 'commander';
import { isPathStep } from '../settings/settings.js';
import { parseDuration } from '../settings/parse-duration.js';

const INT64_MAX = 2n ** 63n - 1n;

/** An identifier with all its digits. */
export function readInt64(text: string): bigint {
  if (!/^-?\d{1,19}$/.test(text) || BigInt(text) > INT64_MAX || BigInt(text) < -INT64_MAX - 1n)
    throw new InvalidArgumentError('Must be a 64-bit integer.');
  return BigInt(text);
}

/** What becomes a step of a path at the API: a URL would lose an empty one, and take dots for a way up. */
export function readPathStep(text: string): string {
  if (!isPathStep(text)) throw new InvalidArgumentError('Must not be empty, "." or "..".');
  return text;
}

/** A whole number from 1 to 100, as pages and quantities are. */
export function readCount(text: string): number {
  if (!/^(?:[1-9]\d?|100)$/.test(text)) throw new InvalidArgumentError('Must be an integer from 1 to 100.');
  return Number(text);
}

export function readDuration(text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs === null) throw new InvalidArgumentError('Must be a duration such as 90s, 10m or 1h.');
  return durationMs;
}

/** For options that may be given several times. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
