import { z } from 'zod';

/**
 * Identifies one try at one kind of work for a domain. A result counts only if its (generation, attempt) is newer than
 * the last one applied for that kind: late, stale and repeated results change nothing.
 */
export const attemptSchema = z.object({
  domainId: z.uuid(),
  generation: z.int().positive(),
  attempt: z.int().positive(),
});
export type Attempt = z.infer<typeof attemptSchema>;

/** Why a certificate is revoked: the reasons of RFC 5280 §5.3.1 that certificate authorities take from a subscriber. */
export const revocationReasons = [
  'unspecified',
  'key_compromise',
  'superseded',
  /** The subscriber has the name no longer. */
  'cessation_of_operation',
] as const;
export type RevocationReason = (typeof revocationReasons)[number];

/**
 * Identifies one try at revoking a certificate. It belongs to the certificate and not to a generation of its domain, which
 * mostly is removed by then.
 */
export const revocationAttemptSchema = z.object({
  certificateId: z.uuid(),
  domainId: z.uuid(),
  attempt: z.int().positive(),
});
export type RevocationAttempt = z.infer<typeof revocationAttemptSchema>;

/** Identifies one try at a delivery. A result counts only if its attempt is the newest that was handed out. */
export const webhookAttemptIdSchema = z.object({ deliveryId: z.uuid(), attempt: z.int().positive() });
export type WebhookAttemptId = z.infer<typeof webhookAttemptIdSchema>;
