import { z } from 'zod';

/** Identifies one try at a delivery. A result counts only if its attempt is the newest that was handed out. */
export const webhookAttemptIdSchema = z.object({ deliveryId: z.uuid(), attempt: z.int().positive() });
export type WebhookAttemptId = z.infer<typeof webhookAttemptIdSchema>;

/**
 * The jobs of the queue `webhooks`: apart from those of domains, so that a receiver that is slow holds up nobody's
 * certificate. As there, the due row in Postgres is what retries, and a try is over before its lease is.
 */
export const webhookJobs = {
  /** Send one request. Answers `webhook.attempted`. The signatures are made; the secret stays with the API. */
  'deliver-webhook': {
    schema: webhookAttemptIdSchema.extend({
      leaseUntil: z.iso.datetime(),
      url: z.string(),
      /** `webhook-id`, `webhook-timestamp`, `webhook-signature`. */
      headers: z.record(z.string(), z.string()),
      /** Exactly the text that was signed. */
      body: z.string(),
    }),
    deadlineMs: 20_000,
    leaseMs: 60_000,
  },
} as const;

export type WebhookJobName = keyof typeof webhookJobs;
export type WebhookJobs = { [N in WebhookJobName]: z.infer<(typeof webhookJobs)[N]['schema']> };

/** Bytes of an answer that are read; the rest is dropped. */
export const WEBHOOK_ANSWER_BYTES = 1_024;
