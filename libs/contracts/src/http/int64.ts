import { z } from 'zod';

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
