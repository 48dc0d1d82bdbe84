import { z } from 'zod';
import { apiKeyCreatorKinds, keyRevocationReasons, scopes } from '../enums.js';
import { instantSchema, textSchema } from './scalars.js';
import { creationSortSchema, optionalPageParameters, searchSchema } from './page.js';

export const scopeSchema = z.enum(scopes).meta({ id: 'Scope', description: 'A permission of a key.' });

const name = textSchema(100).describe('A label for the key: 1 to 100 characters.');

/** Body of createApiKey. A key can hand on only scopes it has itself. */
export const newApiKeySchema = z
  .strictObject({
    name,
    scopes: z
      .array(scopeSchema)
      .min(1)
      .refine((given) => new Set(given).size === given.length, { error: 'must not repeat a scope' })
      .meta({ uniqueItems: true, description: 'Only scopes that the calling key has.' }),
    expiresAt: z.iso
      .datetime({ offset: true })
      // RFC 3339 has no year 10000, which an offset may lead to: it could not be answered.
      .refine((instant) => new Date(instant).getUTCFullYear() <= 9999, {
        error: 'must be before the year 10000 in UTC',
      })
      .describe('In the future, before the year 10000 in UTC. If absent, the key does not expire.')
      .optional(),
  })
  .meta({
    id: 'NewApiKey',
    description: 'An API key to create.',
    example: { name: 'Inventory import', scopes: ['pets:read', 'pets:write'], expiresAt: '2027-11-02T00:00:00Z' },
  });

export type NewApiKey = z.infer<typeof newApiKeySchema>;

const apiKeyCreatorSchema = z
  .object({
    kind: z.enum(apiKeyCreatorKinds),
    id: z.uuid().nullable().describe('The id of the person or API key; null for an operator.'),
    display: z
      .string()
      .nullable()
      .describe(
        'The person’s name or e-mail address as it is now, the API key as shown in lists, or the operator’s name.',
      ),
  })
  .readonly()
  .meta({ id: 'ApiKeyCreator', description: 'The person, API key or operator that created a key.' });

export type ApiKeyCreator = z.infer<typeof apiKeyCreatorSchema>;

const keyPersonSchema = z
  .object({
    id: z.uuid(),
    name: z.string().nullable().describe('Their name or e-mail address; null if it was deleted.'),
    isMember: z.boolean().describe('False if they have left the organization.'),
  })
  .readonly()
  .meta({ id: 'ApiKeyPerson', description: 'The person from whom a key comes.' });

const apiKeyFields = {
  id: z.uuid(),
  name,
  display: z.string().describe('The prefix and the last four characters of the key, to identify it.'),
  scopes: z.array(scopeSchema).readonly(),
  createdAt: instantSchema,
  expiresAt: instantSchema.nullable(),
  lastUsedAt: instantSchema.nullable().describe('Accurate to the minute; null if the key has not been used.'),
  revokedAt: instantSchema.nullable(),
  revocationReason: z
    .enum(keyRevocationReasons)
    .nullable()
    .describe(
      'Why the key was revoked: it was reported as leaked, or its person was removed or got a lower role. Null for another reason.',
    ),
  createdBy: apiKeyCreatorSchema,
  person: keyPersonSchema
    .nullable()
    .describe(
      'The person who created this key, or the first of the keys with which it was created; null if nobody did.',
    ),
};

const apiKeyExample = {
  id: 'c9a1f6de-3b52-4f0e-8c61-2f0f3ec4a7b5',
  name: 'Inventory import',
  display: 'pets_live_…k3Qz',
  scopes: ['pets:read', 'pets:write'],
  createdAt: '2026-11-02T09:00:00.000Z',
  expiresAt: '2027-11-02T00:00:00.000Z',
  lastUsedAt: null,
  revokedAt: null,
  revocationReason: null,
  createdBy: { kind: 'person', id: '5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84', display: 'Ada Lovelace' },
  person: { id: '5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84', name: 'Ada Lovelace', isMember: true },
};

/** An API key as listed: everything but the key itself. */
export const apiKeySchema = z
  .object(apiKeyFields)
  .readonly()
  .meta({ id: 'ApiKey', description: 'An API key, without the key itself.', example: apiKeyExample });

export type ApiKey = z.infer<typeof apiKeySchema>;

/** Keys that an answer lists beside their number. */
export const MAX_LISTED_KEYS = 20;

/** Some keys of a larger number. */
export const someApiKeysSchema = z
  .object({
    total: z.int().min(0),
    first: z
      .array(z.object({ id: z.uuid(), name: z.string(), display: z.string() }).readonly())
      .max(MAX_LISTED_KEYS)
      .readonly()
      .describe(`The first ${MAX_LISTED_KEYS}.`),
  })
  .readonly()
  .meta({
    id: 'SomeApiKeys',
    description: 'A number of API keys, and the first of them.',
    example: { total: 1, first: [{ id: apiKeyExample.id, name: apiKeyExample.name, display: apiKeyExample.display }] },
  });

export type SomeApiKeys = z.infer<typeof someApiKeysSchema>;

/** The answer to createApiKey, the only one that holds the key. */
export const createdApiKeySchema = z
  .object({ ...apiKeyFields, secret: z.string().describe('The key. It is shown only once.') })
  .readonly()
  .meta({
    id: 'CreatedApiKey',
    description: 'A new API key.',
    example: { ...apiKeyExample, secret: 'pets_live_…' },
  });

export type CreatedApiKey = z.infer<typeof createdApiKeySchema>;

/** Query of listApiKeys. */
export const listApiKeysQuerySchema = z.strictObject({
  ...optionalPageParameters,
  state: z
    .enum(['valid', 'ended'])
    .describe('Return only keys that are valid, or that were revoked or have expired.')
    .optional(),
  q: searchSchema('Return only keys whose name contains this text, without regard to case.'),
  personId: z.uuid().describe('Return only keys that this person made, and those made with them.').optional(),
  sort: creationSortSchema,
});

export type ListApiKeysQuery = z.infer<typeof listApiKeysQuerySchema>;

/** Path of a key. An id that is not a UUID is answered as not found. */
export const apiKeyPathSchema = z.strictObject({
  apiKeyId: z.uuid().meta({ description: 'The id of the key.', example: apiKeyExample.id }),
});

/** Query of revokeApiKey. */
export const revokeApiKeyQuerySchema = z.strictObject({
  reason: z
    .enum(['leaked'])
    .describe('The key is known to strangers. Its owners get a notice, and the caller needs none of its scopes.')
    .optional(),
});

export type RevokeApiKeyQuery = z.infer<typeof revokeApiKeyQuerySchema>;

/** The answer to createSession: a bearer key with the scopes of the API key, which ends with that key at the latest. */
export const createdSessionSchema = z
  .object({
    secret: z.string().describe('A bearer key with the scopes of the API key. It is shown only once.'),
    expiresAt: instantSchema.describe('Twelve hours after creation, or when the API key expires.'),
  })
  .readonly()
  .meta({
    id: 'CreatedSession',
    description: 'A new session.',
    example: { secret: 'pets_live_session_…', expiresAt: '2026-11-02T21:00:00.000Z' },
  });

export type CreatedSession = z.infer<typeof createdSessionSchema>;
