import { z } from 'zod';
import { scopes, type Scope } from '../closed-sets.js';
import { textSchema } from './text.js';

export const scopeSchema = z.enum(scopes);

/** Body of createApiKey. A key can hand on only scopes it has itself. */
export const newApiKeySchema = z.strictObject({
  name: textSchema(100),
  scopes: z
    .array(scopeSchema)
    .min(1)
    .refine((given) => new Set(given).size === given.length, { error: 'must not name a scope twice' }),
  /** Left out: the key lasts until it is revoked. */
  expiresAt: z.iso.datetime({ offset: true }).optional(),
});

export type NewApiKey = z.infer<typeof newApiKeySchema>;

/** An API key as listed: everything but the key itself. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The key's prefix and last four characters, to tell keys apart. */
  readonly display: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** To the minute; null when it has not been used. */
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
}

/** The answer to createApiKey, the only one that holds the key. */
export interface CreatedApiKey extends ApiKey {
  readonly secret: string;
}

/** The answer to createSession: a bearer key with the scopes of the API key, which ends with that key at the latest. */
export interface CreatedSession {
  readonly secret: string;
  readonly expiresAt: string;
}
