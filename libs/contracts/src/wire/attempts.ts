import { z } from 'zod';

/**
 * Identifies one attempt at one kind of work for a domain. The API applies a result only if its (generation, attempt) is newer
 * than the last one applied for that kind, so late and repeated results change nothing.
 */
export const attemptSchema = z.object({
  domainId: z.uuid(),
  generation: z.int().positive(),
  attempt: z.int().positive(),
});
export type Attempt = z.infer<typeof attemptSchema>;

/** Reasons for a revocation: those of RFC 5280 §5.3.1 that CAs accept from a subscriber. */
export const revocationReasons = [
  'unspecified',
  'key_compromise',
  'superseded',
  /** The subscriber no longer has the name. */
  'cessation_of_operation',
] as const;
export type RevocationReason = (typeof revocationReasons)[number];

/**
 * Identifies one attempt to revoke a certificate. It has no generation of the domain, which usually has been removed by then.
 */
export const revocationAttemptSchema = z.object({
  certificateId: z.uuid(),
  domainId: z.uuid(),
  attempt: z.int().positive(),
});
export type RevocationAttempt = z.infer<typeof revocationAttemptSchema>;

/** Identifies one attempt at a delivery. The API applies a result only if its attempt is the newest dispatched one. */
export const webhookAttemptIdSchema = z.object({ deliveryId: z.uuid(), attempt: z.int().positive() });
export type WebhookAttemptId = z.infer<typeof webhookAttemptIdSchema>;
