import { z } from 'zod';

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
