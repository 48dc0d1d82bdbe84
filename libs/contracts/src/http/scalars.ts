import { z } from 'zod';

/** An instant as we write it: RFC 3339 in UTC. */
export const instantSchema = z.iso.datetime();

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
/** Bounds are left out: a JSON number would round them, and a rounded bound is a wrong one. */
const int64OnTheWire = { type: 'integer', format: 'int64' };

const isInt64 = (value: bigint) => value >= INT64_MIN && value <= INT64_MAX;

/**
 * A signed 64-bit integer. A JSON parser that keeps digits hands large ones over as `bigint`; all come out as `bigint`,
 * so that 9007199254740993 is not rounded on its way to the database.
 */
export const int64Schema = z
  .union([z.int(), z.bigint()], { error: 'must be an integer' })
  .transform(BigInt)
  .refine(isInt64, { error: 'must fit a signed 64-bit integer' })
  .meta({ wire: int64OnTheWire });

/**
 * The same in a path, as decimal text in the one form that we write ourselves: no plus sign, no leading zeros, so that a
 * resource has one address. The number of digits is bounded before anything is computed from them.
 */
export const int64TextSchema = z
  .string()
  .regex(/^(?:0|-?[1-9]\d{0,18})$/, { error: 'must be a signed 64-bit integer' })
  .transform(BigInt)
  .refine(isInt64, { error: 'must be a signed 64-bit integer' })
  .meta({ wire: int64OnTheWire });

/** Controls (C0, DEL, C1), and what makes text read otherwise than it is stored (bidirectional overrides and isolates). */
const invisible = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/** The same for the interface description, in what every dialect of patterns has: nothing invisible, and not only space. */
const unseen = String.raw`\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069`;
const textPattern = `^[^${unseen}]*[^\\s${unseen}][^${unseen}]*$`;

/**
 * Text that people give: of 1 to so many characters (code points, after normalisation to NFC, so that what looks the
 * same is the same), not only white space, well-formed, and without what nobody types on purpose.
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
