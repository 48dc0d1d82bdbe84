import { z } from 'zod';

/** Text that people give: not only white space, well-formed, and without NUL, which PostgreSQL cannot hold. */
export function textSchema(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine((text) => text.trim() !== '', { error: 'must not be empty' })
    .refine((text) => text.isWellFormed() && !text.includes('\0'), { error: 'must be well-formed text' });
}
