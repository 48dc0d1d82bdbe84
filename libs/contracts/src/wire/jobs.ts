import { z } from 'zod';
import { attemptSchema, revocationAttemptSchema, revocationReasons, webhookAttemptIdSchema } from './attempts.js';

/** Every job: a worker that meets it after `leaseUntil` drops it, since the row has been dispatched anew by then. */
const leasedSchema = attemptSchema.extend({ leaseUntil: z.iso.datetime() });

/** What a name has to show. */
const expectedDnsSchema = z.object({
  /** LDH ASCII, lower case, no final dot. */
  name: z.string(),
  /** Whether ALIAS/ANAME (flattened addresses) is accepted besides a CNAME. */
  isApex: z.boolean(),
  /** `<token>.cname.<platform domain>`, unique to (organization, name). */
  targetHost: z.string(),
  /** Full name of the ownership TXT to look up; null where none can be required. */
  ownershipHost: z.string().nullable(),
  /**
   * Of an apex: where its `www.` name points if the same organization holds that name. Found in the zone of the apex, that
   * record proves what an address does not. Left out where it would prove nothing.
   */
  wwwTargetHost: z.string().optional(),
  /** What that TXT has to be, so that this record is found among any number. Jobs of releases up to 1.0 do not have it. */
  ownershipToken: z.string().optional(),
});
export type ExpectedDns = z.infer<typeof expectedDnsSchema>;

/**
 * The job catalog: BullMQ job name → payload schema, hard deadline and lease. Jobs are fat, so the worker asks nobody.
 * A deadline is always shorter than the lease: the worker has given up before the row can be claimed again.
 * All ride the queue `domain-jobs` with `attempts: 1`; the due row in Postgres is what retries.
 */
export const domainJobs = {
  /** Look at DNS. Answers `dns.checked`. */
  'verify-dns': {
    schema: leasedSchema.extend({ expected: expectedDnsSchema }),
    deadlineMs: 10_000,
    leaseMs: 20_000,
  },
  /** Look at DNS and CAA again for a verified domain without a certificate. Answers `domain.reverified`. */
  'reverify-domain': {
    schema: leasedSchema.extend({ expected: expectedDnsSchema, directoryUrl: z.url() }),
    deadlineMs: 10_000,
    leaseMs: 20_000,
  },
  /** Pass the gate (DNS, CAA, reachability), then order. Answers `certificate.issued` or `certificate.failed`. */
  'issue-certificate': {
    schema: leasedSchema.extend({
      expected: expectedDnsSchema,
      directoryUrl: z.url(),
      csrPem: z.string(),
      /** Certificate profile to ask for, where the CA's directory advertises it; null for the CA's own choice. */
      profile: z.string().nullable().default(null),
      /** Identifier (RFC 9773 §4.1) of the certificate that this one replaces; null when there is none, or at another CA. */
      replaces: z.string().nullable().default(null),
    }),
    deadlineMs: 45_000,
    leaseMs: 60_000,
  },
  /** Ask the CA when a certificate should be renewed (RFC 9773). Answers `renewal_info.fetched`. */
  'fetch-renewal-info': {
    schema: leasedSchema.extend({
      directoryUrl: z.url(),
      /** RFC 9773 §4.1: authority key identifier and serial number, base64url, with a dot between. */
      certificateIdentifier: z.string(),
    }),
    deadlineMs: 10_000,
    leaseMs: 20_000,
  },
  /** Shake hands with each edge for the name. Answers `certificate.served` or `certificate.not_served`. */
  'probe-edge': {
    schema: leasedSchema.extend({
      name: z.string(),
      /** The edges' advertised TLS addresses, `host:port`. */
      edges: z.array(z.object({ edgeId: z.string(), address: z.string() })),
      /** SHA-256 of the leaf certificate's DER, lower-case hex. */
      leafSha256: z.string(),
    }),
    deadlineMs: 5_000,
    leaseMs: 10_000,
  },
  /**
   * Have a CA revoke a certificate (RFC 8555 §7.6). Answers `certificate.revoked` or `certificate.revocation_failed`. The
   * row that retries is one of `certificate_revocations`.
   */
  'revoke-certificate': {
    schema: revocationAttemptSchema.extend({
      leaseUntil: z.iso.datetime(),
      directoryUrl: z.url(),
      /** DER, base64url: exactly what the CA is sent. */
      certificate: z.base64url(),
      reason: z.enum(revocationReasons),
    }),
    deadlineMs: 20_000,
    leaseMs: 40_000,
  },
} as const;

export type DomainJobName = keyof typeof domainJobs;
export type DomainJobs = { [N in DomainJobName]: z.infer<(typeof domainJobs)[N]['schema']> };

/** BullMQ queue names. */
export const queues = { jobs: 'domain-jobs', events: 'domain-events', webhooks: 'webhooks' } as const;

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
