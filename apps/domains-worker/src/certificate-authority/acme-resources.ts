import { z } from 'zod';

/**
 * What a CA's answers hold that is used here (RFC 8555 §7.1). What is strange to us is passed over, and what can be done
 * without counts as absent where it is not as it should be: an issuance must not fail for it.
 */
export const directorySchema = z
  .object({
    newNonce: z.url(),
    newAccount: z.url(),
    newOrder: z.url(),
    /** RFC 8555 §7.6; every CA should have it, and what is no URL is as good as none. */
    revokeCert: z.url().optional().catch(undefined),
    /** RFC 9773 §4.1; absent where the CA does not say when to renew. */
    renewalInfo: z.url().optional().catch(undefined),
    meta: z
      .object({
        caaIdentities: z.array(z.string()).optional().catch(undefined),
        externalAccountRequired: z.boolean().optional().catch(undefined),
        /** Name of a certificate profile → what it is for. */
        profiles: z.record(z.string(), z.unknown()).optional().catch(undefined),
      })
      .optional()
      .catch(undefined),
  })
  .transform(({ meta = {}, ...urls }) => ({ ...urls, ...meta }));
export type Directory = z.infer<typeof directorySchema>;

/** A problem document inside another resource; read further by `readProblem`. */
const errorSchema = z.looseObject({}).optional().catch(undefined);

export const orderSchema = z.object({
  /** `pending`, `ready`, `processing`, `valid` or `invalid` (RFC 8555 §7.1.6). */
  status: z.string(),
  authorizations: z.array(z.url()),
  finalize: z.url(),
  certificate: z.url().optional().catch(undefined),
  error: errorSchema,
});
export interface Order extends z.infer<typeof orderSchema> {
  readonly url: string;
}

export const authorizationSchema = z.object({
  /** `pending`, `valid`, `invalid`, `deactivated`, `expired` or `revoked`. */
  status: z.string(),
  challenges: z.array(z.object({ type: z.string(), url: z.url(), status: z.string().optional(), error: errorSchema })),
});
export type Authorization = z.infer<typeof authorizationSchema>;

/** RFC 9773 §4.2. */
export const renewalInfoSchema = z.object({
  suggestedWindow: z.object({ start: z.iso.datetime({ offset: true }), end: z.iso.datetime({ offset: true }) }),
  explanationURL: z.string().optional().catch(undefined),
});
