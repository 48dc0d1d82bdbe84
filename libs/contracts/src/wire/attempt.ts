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
