import { z } from 'zod';
import { channelNameSchema } from './channels.js';
import { textSchema } from './scalars.js';

/** Labels that customers store with a domain, to find it again and to recognize it in webhooks. */

export const MAX_METADATA_KEYS = 16;
const MAX_VALUE_BYTES = 512;

const keySchema = z
  .string()
  .regex(/^[^[\]\p{Cc}]{1,40}$/u, { error: 'must have 1 to 40 characters, without brackets and control characters' })
  .refine((key) => key.isWellFormed(), { error: 'must be well-formed text' });

const valueSchema = z
  .string()
  .min(1)
  .refine((value) => new TextEncoder().encode(value).length <= MAX_VALUE_BYTES, {
    error: `must have at most ${MAX_VALUE_BYTES} bytes in UTF-8`,
  })
  .refine((value) => value.isWellFormed() && !value.includes('\0'), { error: 'must be well-formed text without NUL' })
  .meta({ minLength: 1, maxLength: MAX_VALUE_BYTES });

const hasFewKeys = (metadata: object) => Object.keys(metadata).length <= MAX_METADATA_KEYS;
const tooManyKeys = { error: `must have at most ${MAX_METADATA_KEYS} keys` };

export const metadataSchema = z
  .record(keySchema, valueSchema)
  .refine(hasFewKeys, tooManyKeys)
  .describe(
    `Values by key, for your own use: at most ${MAX_METADATA_KEYS} keys of up to 40 characters without brackets and control ` +
      `characters, not \`constructor\` or \`prototype\`, with values of up to ${MAX_VALUE_BYTES} bytes.`,
  );

export type Metadata = Readonly<z.infer<typeof metadataSchema>>;

/** Null removes a key. */
const metadataChangeSchema = z
  .record(keySchema, valueSchema.nullable())
  // As many as a domain has may be removed, and as many added.
  .refine((change) => Object.keys(change).length <= 2 * MAX_METADATA_KEYS, {
    error: `must have at most ${2 * MAX_METADATA_KEYS} keys`,
  });

export const externalIdSchema = textSchema(255).describe('An id of your own, which several domains may share.');

/** Body of updateDomain. Absent fields keep their values. */
export const domainChangeSchema = z
  .strictObject({
    externalId: externalIdSchema.nullable().optional(),
    metadata: metadataChangeSchema
      .describe('Keys to set. A key with null is removed; keys that are absent keep their values.')
      .optional(),
    channel: channelNameSchema
      .nullable()
      .optional()
      .describe(
        'The channel that the domain is to serve. Null: what the project serves. A redirect of the domain still comes first, ' +
          'and so does an origin of its own.',
      ),
  })
  .meta({
    id: 'DomainChange',
    description: 'Changes to a domain.',
    example: { externalId: 'customer-42', metadata: { tier: 'gold', trial: null } },
  });

export type DomainChangeRequest = z.infer<typeof domainChangeSchema>;

/** Filters of lists. */
export const labelFilters = {
  externalId: externalIdSchema.describe('Return only domains with this `externalId`.').optional(),
  metadata: z
    .record(keySchema, valueSchema)
    .refine(hasFewKeys, tooManyKeys)
    .describe('Return only domains with these values, such as `metadata[tier]=gold`.')
    .optional(),
};
