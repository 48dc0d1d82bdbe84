import { z } from 'zod';
import { attemptSchema, revocationAttemptSchema, webhookAttemptIdSchema } from './attempts.js';
import { dnsFindingsSchema } from './dns-findings.js';
import { WEBHOOK_ANSWER_BYTES } from './jobs.js';

const caaVerdictSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('permits') }),
  z.object({
    kind: z.literal('forbids'),
    at: z.string(),
    records: z.array(z.string()),
    /** The exact record that would permit issuance. */
    permitting: z.string(),
    /** Records that forbid whatever else is there (critical and unknown), and so have to go first. */
    blocking: z.array(z.string()).optional(),
  }),
  z.object({
    kind: z.literal('unknown'),
    at: z.string(),
    error: z.string(),
    /** Left out where no usable answer came. */
    reason: z.literal('too_large').optional(),
  }),
]);
export type CaaVerdict = z.infer<typeof caaVerdictSchema>;

/** What the HTTP-01 path showed, address by address. */
const reachabilitySchema = z.object({
  address: z.string(),
  /** Null when the expected key authorization came back. */
  error: z.string().nullable(),
});

/** What the gate found before any order: the first that does not pass ends the attempt. */
const gateFindingsSchema = z.object({
  dns: dnsFindingsSchema,
  caa: caaVerdictSchema.nullable(),
  reachability: z.array(reachabilitySchema),
});
export type GateFindings = z.infer<typeof gateFindingsSchema>;

/** A CA's problem document (RFC 8555 §6.7), or what stood in its place. */
const caProblemSchema = z.object({
  /** `urn:ietf:params:acme:error:…`, or null when no problem document came (network, time-out, bad body). */
  type: z.string().nullable(),
  detail: z.string(),
  /** HTTP status, where there was an answer. */
  status: z.int().nullable(),
  /** From `Retry-After`. */
  retryAt: z.iso.datetime().nullable(),
});
export type CaProblem = z.infer<typeof caProblemSchema>;

/**
 * The event catalog, worker → API: facts only, never "set the state". They ride the BullMQ queue `domain-events`, the
 * event's name being the job's name.
 */
export const domainEvents = {
  'dns.checked': attemptSchema.extend({ findings: dnsFindingsSchema }),
  'domain.reverified': attemptSchema.extend({ findings: dnsFindingsSchema, caa: caaVerdictSchema }),
  'certificate.issued': attemptSchema.extend({ directoryUrl: z.url(), chainPem: z.string() }),
  'certificate.failed': attemptSchema.extend({
    directoryUrl: z.url(),
    stage: z.enum(['gate', 'account', 'order', 'challenge', 'finalize', 'chain']),
    /** Whether the CA was asked for an order at all: what was not ordered costs no budget. */
    ordered: z.boolean(),
    problem: caProblemSchema.nullable(),
    gate: gateFindingsSchema.nullable(),
  }),
  /** What the CA says of when to renew (RFC 9773 §4.2). All null: it does not say, and has not failed either. */
  'renewal_info.fetched': attemptSchema.extend({
    directoryUrl: z.url(),
    certificateIdentifier: z.string(),
    window: z.object({ start: z.iso.datetime(), end: z.iso.datetime() }).nullable(),
    /** A page that says why, where the CA gives one. */
    explanationUrl: z.string().nullable(),
    /** From `Retry-After`: when to ask again. */
    retryAt: z.iso.datetime().nullable(),
    /** Why nothing could be told. */
    problem: caProblemSchema.nullable(),
  }),
  'certificate.served': attemptSchema.extend({ leafSha256: z.string() }),
  'certificate.not_served': attemptSchema.extend({
    seen: z.array(z.object({ edgeId: z.string(), error: z.string() })),
  }),
  /** The CA has revoked the certificate. */
  'certificate.revoked': revocationAttemptSchema.extend({ directoryUrl: z.url() }),
  /** The CA has not revoked it, or could not be asked; it may say that it was revoked before. */
  'certificate.revocation_failed': revocationAttemptSchema.extend({ directoryUrl: z.url(), problem: caProblemSchema }),
  /** The account at a CA is there; `thumbprint` (RFC 7638) is what edges answer HTTP-01 with. */
  'account.ready': z.object({ directoryUrl: z.url(), accountUrl: z.url(), thumbprint: z.string() }),
  /** What became of one request to an endpoint. Whether that counts as delivered, and what follows, the API says. */
  'webhook.attempted': webhookAttemptIdSchema.extend({
    /** When the request was begun. */
    at: z.iso.datetime(),
    /** Null when no answer came. */
    status: z.int().nullable(),
    /** Why no answer came; null when one did. */
    error: z.string().nullable(),
    durationMs: z.int().nonnegative(),
    /** From `Retry-After`. */
    retryAt: z.iso.datetime().nullable(),
    /** How the body of the answer begins. PostgreSQL's text has no NUL. */
    bodyStart: z
      .string()
      .max(WEBHOOK_ANSWER_BYTES)
      .refine((text) => !text.includes('\0'))
      .nullable(),
  }),
} as const;

export type DomainEventName = keyof typeof domainEvents;
export type DomainEvents = { [N in DomainEventName]: z.infer<(typeof domainEvents)[N]> };
