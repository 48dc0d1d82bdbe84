import { InvalidArgumentError, Option } from 'commander';
import { isPathSegment } from '../settings/settings.js';

const INT64_MAX = 2n ** 63n - 1n;

/** Node timers accept at most about 24 days. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

export function parseInt64(text: string): bigint {
  if (!/^-?\d{1,19}$/.test(text) || BigInt(text) > INT64_MAX || BigInt(text) < -INT64_MAX - 1n)
    throw new InvalidArgumentError('Must be a 64-bit integer.');
  return BigInt(text);
}

/** An argument that becomes a segment of a URL path. */
export function parsePathSegment(text: string): string {
  if (!isPathSegment(text)) throw new InvalidArgumentError('Must not be empty, "." or "..".');
  return text;
}

/** The range of page sizes and quantities. */
export function parseCount(text: string): number {
  if (!/^(?:[1-9]\d?|100)$/.test(text)) throw new InvalidArgumentError('Must be an integer from 1 to 100.');
  return Number(text);
}

/** The API checks the range. */
export function parseSeconds(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Must be a number of seconds.');
  return Number(text);
}

/** Parses `90s`, `10m`, `1.5h` or `500ms` as milliseconds. */
export function parseDuration(text: string): number {
  const { amount = '', unit = '' } = /^(?<amount>\d+(?:\.\d+)?)(?<unit>ms|s|m|h)$/.exec(text)?.groups ?? {};
  const durationMs = Math.round(Number(amount) * unitsMs[unit as keyof typeof unitsMs]); // a unit of the pattern
  if (amount === '' || durationMs > MAX_TIMER_MS)
    throw new InvalidArgumentError('Must be a duration such as 90s, 10m or 1h.');
  return durationMs;
}

/** For repeatable options. */
export function collect(text: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, text];
}

/** For repeatable options of the form `key=value`. */
export function parseMember(
  text: string,
  previous: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw new InvalidArgumentError('Must be key=value.');
  return { ...previous, [key]: value };
}

/** `--timeout`, with its default. */
export function timeoutOption(description: string, defaultValue: string): Option {
  return new Option('--timeout <duration>', description)
    .argParser(parseDuration)
    .default(parseDuration(defaultValue), defaultValue);
}
