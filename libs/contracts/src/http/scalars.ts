import { z } from 'zod';

/** A date and time: RFC 3339 in UTC. */
export const instantSchema = z.iso.datetime();

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
/** Schema without bounds: a JSON number would round them. */
const int64OnTheWire = { type: 'integer', format: 'int64' };

const isInt64 = (value: bigint) => value >= INT64_MIN && value <= INT64_MAX;

/**
 * A signed 64-bit integer. The JSON parser passes large numbers as `bigint`. The output is always a `bigint`, so that
 * 9007199254740993 is not rounded on its way to the database.
 */
export const int64Schema = z
  .union([z.int(), z.bigint()], { error: 'must be an integer' })
  .transform(BigInt)
  .refine(isInt64, { error: 'must fit a signed 64-bit integer' })
  .meta({ wire: int64OnTheWire });

/**
 * The same in a path, as decimal text in canonical form (no plus sign, no leading zeros), so that a resource has one URL. The
 * number of digits is limited before the text is parsed.
 */
export const int64TextSchema = z
  .string()
  .regex(/^(?:0|-?[1-9]\d{0,18})$/, { error: 'must be a signed 64-bit integer' })
  .transform(BigInt)
  .refine(isInt64, { error: 'must be a signed 64-bit integer' })
  .meta({ wire: int64OnTheWire });

/** Control characters (C0, DEL, C1), and bidirectional overrides and isolates, which change how text reads. */
const invisible = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/** The same as a portable pattern for the OpenAPI document: no invisible characters, and not only white space. */
const unseen = String.raw`\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069`;
const textPattern = `^[^${unseen}]*[^\\s${unseen}][^${unseen}]*$`;

/**
 * Text from people, normalized to NFC: 1 to `maxLength` characters (code points), not only white space, well-formed, and
 * without control or bidirectional override characters.
 */
export function textSchema(maxLength: number) {
  return z
    .string()
    .normalize('NFC')
    .refine((text) => text.trim() !== '', { error: 'must not be empty' })
    .refine((text) => [...text].length <= maxLength, { error: `must have at most ${maxLength} characters` })
    .refine((text) => text.isWellFormed(), { error: 'must be well-formed text' })
    .refine((text) => !invisible.test(text), { error: 'must not have control or bidirectional override characters' })
    .meta({ minLength: 1, maxLength, pattern: textPattern });
}
