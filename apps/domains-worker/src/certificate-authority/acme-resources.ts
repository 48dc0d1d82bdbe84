import { z } from 'zod';

/**
 * The parts of a CA's resources that we use (RFC 8555 §7.1). Unknown members are ignored, and an optional member that is
 * invalid counts as absent, so that it cannot make an issuance fail.
 */
export const directorySchema = z
  .object({
    newNonce: z.url(),
    newAccount: z.url(),
    newOrder: z.url(),
    /** RFC 8555 §7.6. */
    revokeCert: z.url().optional().catch(undefined),
    /** RFC 9773 §4.1; absent when the CA has no renewal information. */
    renewalInfo: z.url().optional().catch(undefined),
    meta: z
      .object({
        caaIdentities: z.array(z.string()).optional().catch(undefined),
        externalAccountRequired: z.boolean().optional().catch(undefined),
        /** Names of certificate profiles with their descriptions. */
        profiles: z.record(z.string(), z.unknown()).optional().catch(undefined),
      })
      .optional()
      .catch(undefined),
  })
  .transform(({ meta = {}, ...urls }) => ({ ...urls, ...meta }));
export type Directory = z.infer<typeof directorySchema>;

/** A problem document inside another resource, parsed by `readProblem`. */
const errorSchema = z.looseObject({}).optional().catch(undefined);

export const orderSchema = z.object({
  /** `pending`, `ready`, `processing`, `valid` or `invalid` (RFC 8555 §7.1.6). */
  status: z.string(),
  authorizations: z.array(z.url()),
  finalize: z.url(),
  certificate: z.url().optional().catch(undefined),
  /** When the CA gives up an order that is not finished. */
  expires: z.iso.datetime({ offset: true }).optional().catch(undefined),
  error: errorSchema,
});
export interface Order extends z.infer<typeof orderSchema> {
  readonly url: string;
}

export const authorizationSchema = z.object({
  /** `pending`, `valid`, `invalid`, `deactivated`, `expired` or `revoked`. */
  status: z.string(),
  challenges: z.array(
    z.object({
      type: z.string(),
      url: z.url(),
      /** RFC 8555 §8.1. Other types of challenges have none. */
      token: z.string().optional().catch(undefined),
      status: z.string().optional(),
      error: errorSchema,
    }),
  ),
});
export type Authorization = z.infer<typeof authorizationSchema>;

/** RFC 9773 §4.2. */
export const renewalInfoSchema = z.object({
  suggestedWindow: z.object({ start: z.iso.datetime({ offset: true }), end: z.iso.datetime({ offset: true }) }),
  explanationURL: z.string().optional().catch(undefined),
});
