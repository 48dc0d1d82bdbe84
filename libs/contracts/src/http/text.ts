import { z } from 'zod';

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
