import { z } from 'zod';
import { challengeMethods } from '../enums.js';

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

/** Every job has a lease. After `leaseUntil`, a worker drops the job, since the row may have been dispatched again. */
const leasedSchema = attemptSchema.extend({ leaseUntil: z.iso.datetime() });

/** Organization that owns the work: each has a share of the worker's capacity. */
const organizationSchema = z.uuid();

/** The thumbprint (RFC 7638) of the key of our account at the CA: during its replacement, workers have several. */
const accountThumbprintSchema = z.string();

/** How the CA may check that we control the name, in the order of preference. */
const methodsSchema = z.array(z.enum(challengeMethods)).min(1);

/**
 * A name in our zone whose TXT records are deleted first, since a worker that crashed may have left some; null where there are
 * none.
 */
const clearedHostSchema = z.string().nullable();

/** The platform lists no more public addresses. */
export const MAX_PUBLIC_ADDRESSES = 64;

/** The DNS records that a name must have. */
const expectedDnsSchema = z.object({
  /** LDH ASCII, lower case, no final dot. Of a wildcard, a random name that it covers is looked up. */
  name: z.string(),
  /** Whether the name is the apex of a zone, where a CNAME must not be. */
  isApex: z.boolean(),
  /** `<token>.cname.<platform domain>`, unique to (organization, name). */
  targetHost: z.string(),
  /**
   * The public addresses of the platform, those included that it gives up. A name that shows only these points here, whatever
   * addresses its target has in the answers of resolvers. Empty where the operator lists none.
   */
  addresses: z.array(z.string()).max(MAX_PUBLIC_ADDRESSES),
  /** Addresses that are given up: no record with them is offered any more. */
  retiringAddresses: z.array(z.string()).max(MAX_PUBLIC_ADDRESSES),
  /**
   * The target of the wildcard that covers the name, if the same organization has that wildcard verified: its record leads here
   * as well. Null without one.
   */
  wildcardTargetHost: z.string().nullable(),
  /** Full name of the ownership TXT to look up; null where none can be required. */
  ownershipHost: z.string().nullable(),
  /** The expected value of that TXT, so that it is found among any number of records; null where `ownershipHost` is. */
  ownershipToken: z.string().nullable(),
  /** Whether that TXT is looked up only if the name shows addresses. */
  isProofByAddress: z.boolean(),
  /**
   * For an apex: the target of its `www.` name if the same organization holds that name. In the zone of the apex, that record
   * proves ownership. Null if it would prove nothing.
   */
  wwwTargetHost: z.string().nullable(),
  /** The record that delegates DNS-01 challenges to our zone: a CNAME at `host` to `target`. Null without such a zone. */
  delegation: z.object({ host: z.string(), target: z.string() }).nullable(),
});
export type ExpectedDns = z.infer<typeof expectedDnsSchema>;
export type ExpectedDelegation = NonNullable<ExpectedDns['delegation']>;

/** An order of an earlier attempt that the next attempt continues. */
const placedOrderSchema = z.object({
  url: z.url(),
  /** The name must not get a certificate now: an order that is not finalized stays so. One that is, is read to its end. */
  isReadOnly: z.boolean(),
});

/** An edge and its advertised TLS address, `host:port`. */
const probedEdgeSchema = z.object({ edgeId: z.string(), address: z.string() });

/** Lists of one certificate that are tried. */
export const MAX_CRL_URLS = 3;

/**
 * The job catalog: BullMQ job name → payload schema, deadline and lease. A job contains everything the worker needs, so the
 * worker never queries the API. The deadline is shorter than the lease, so the worker stops before the row can be claimed
 * again. All jobs have `attempts: 1`; the due row in PostgreSQL causes the retries.
 */
export const domainJobs = {
  /** Check DNS. Result: `dns.checked`. */
  'verify-dns': {
    schema: leasedSchema.extend({
      organizationId: organizationSchema,
      expected: expectedDnsSchema,
      /** Name in our zone that belonged to a removed domain. */
      clearedHost: clearedHostSchema,
    }),
    deadlineMs: 10_000,
    leaseMs: 20_000,
  },
  /** Check DNS and CAA of a verified domain without a certificate. Result: `domain.reverified`. */
  'reverify-domain': {
    schema: leasedSchema.extend({
      organizationId: organizationSchema,
      expected: expectedDnsSchema,
      directoryUrl: z.url(),
      methods: methodsSchema,
    }),
    deadlineMs: 10_000,
    leaseMs: 20_000,
  },
  /**
   * Run the preflight checks of each method (DNS, CAA, reachability or our name server), and order with the first that passes;
   * or continue an order. Results: `certificate.ordered` for a new order, and at the end `certificate.issued`,
   * `certificate.pending` or `certificate.failed`.
   */
  'issue-certificate': {
    schema: leasedSchema.extend({
      expected: expectedDnsSchema,
      directoryUrl: z.url(),
      accountThumbprint: accountThumbprintSchema,
      methods: methodsSchema,
      /** After an attempt that was lost. */
      clearedHost: clearedHostSchema,
      csrPem: z.string(),
      /** The certificate profile to request if the CA offers it; null for the default of the CA. */
      profile: z.string().nullable(),
      /** Identifier (RFC 9773 §4.1) of the certificate to replace; null without one, or if another CA issued it. */
      replaces: z.string().nullable(),
      /** The order to continue; null for a new one. */
      order: placedOrderSchema.nullable(),
    }),
    deadlineMs: 45_000,
    leaseMs: 60_000,
  },
  /** Fetch the renewal window of a certificate (RFC 9773). Result: `renewal_info.fetched`. */
  'fetch-renewal-info': {
    schema: leasedSchema.extend({
      directoryUrl: z.url(),
      /** RFC 9773 §4.1: authority key identifier and serial number, base64url, with a dot between. */
      certificateIdentifier: z.string(),
    }),
    deadlineMs: 10_000,
    leaseMs: 20_000,
  },
  /**
   * Do a TLS handshake for the name with a sample of the edges. Result: `certificate.served` or `certificate.not_served`, then
   * `edges.probed` where some edges failed that others passed.
   */
  'probe-edge': {
    schema: leasedSchema.extend({
      name: z.string(),
      /** The edges that must present the certificate. */
      edges: z.array(probedEdgeSchema),
      /** Each takes the place of an edge above that cannot be reached. */
      spares: z.array(probedEdgeSchema),
      /** Edges that failed lately, probed for `edges.probed` only. */
      rechecks: z.array(probedEdgeSchema),
      /** Edges of these lists that failed lately: reported also when they pass. */
      suspects: z.array(z.string()),
      /** SHA-256 of the leaf certificate's DER, lower-case hex. */
      leafSha256: z.string(),
    }),
    deadlineMs: 5_000,
    leaseMs: 10_000,
  },
  /**
   * Revoke a certificate at its CA (RFC 8555 §7.6). Result: `certificate.revoked` or `certificate.revocation_failed`. A row of
   * `certificate_revocations` causes the retries.
   */
  'revoke-certificate': {
    schema: revocationAttemptSchema.extend({
      leaseUntil: z.iso.datetime(),
      directoryUrl: z.url(),
      accountThumbprint: accountThumbprintSchema,
      /** DER, base64url: exactly what the CA is sent. */
      certificate: z.base64url(),
      reason: z.enum(revocationReasons),
    }),
    deadlineMs: 20_000,
    leaseMs: 40_000,
  },
  /**
   * Read the revocation list of a certificate that an owner uploaded. Result: `revocation_list.checked`. A row of
   * `certificates` causes the repetitions.
   */
  'check-revocation-list': {
    schema: revocationAttemptSchema.extend({
      leaseUntil: z.iso.datetime(),
      organizationId: organizationSchema,
      /** Addresses of the list, alternatives of each other. A stranger wrote them. */
      urls: z.array(z.string()).min(1).max(MAX_CRL_URLS),
      /** Serial number of the certificate, lower-case hex. */
      serialNumber: z.string(),
      /** The certificate of the CA, which signs the list: DER, base64url. */
      issuer: z.base64url(),
    }),
    deadlineMs: 25_000,
    leaseMs: 60_000,
  },
} as const;

export type DomainJobName = keyof typeof domainJobs;
export type DomainJobs = { [N in DomainJobName]: z.infer<(typeof domainJobs)[N]['schema']> };

/** BullMQ queue names. */
export const queues = {
  requested: 'domain-checks-requested',
  watched: 'domain-checks-watched',
  checks: 'domain-checks',
  certificates: 'domain-certificates',
  lists: 'domain-revocation-lists',
  probes: 'domain-probes',
  events: 'domain-events',
  /** Results that a person waits for, which no flood of other events delays. */
  awaitedEvents: 'domain-events-awaited',
  webhooks: 'webhooks',
} as const;

/**
 * Lanes of domain jobs, each with its own queue and concurrency, so that a CA that hangs delays no DNS check: DNS checks
 * that a person has requested, those of names that somebody looks at, other DNS checks, requests to CAs, revocation lists, and
 * probes of edges. Nothing whose duration a stranger chooses is in a lane with orders.
 */
export const jobLanes = ['requested', 'watched', 'checks', 'certificates', 'lists', 'probes'] as const;
export type JobLane = (typeof jobLanes)[number];

export function mapLanes<T>(valueOf: (lane: JobLane) => T): Readonly<Record<JobLane, T>> {
  return Object.fromEntries(jobLanes.map((lane) => [lane, valueOf(lane)])) as Record<JobLane, T>; // every lane is there
}

/**
 * The jobs of the queue `webhooks`, separate from those of domains, so that a slow receiver delays no certificate. The due
 * row in PostgreSQL causes the retries, and the deadline is shorter than the lease.
 */
export const webhookJobs = {
  /** Send one request. Result: `webhook.attempted`. The headers have the signatures; the secret stays in the API. */
  'deliver-webhook': {
    schema: webhookAttemptIdSchema.extend({
      leaseUntil: z.iso.datetime(),
      url: z.string(),
      /** `webhook-id`, `webhook-timestamp`, `webhook-signature`. */
      headers: z.record(z.string(), z.string()),
      /** The signed text. */
      body: z.string(),
    }),
    deadlineMs: 20_000,
    leaseMs: 60_000,
  },
} as const;

export type WebhookJobName = keyof typeof webhookJobs;
export type WebhookJobs = { [N in WebhookJobName]: z.infer<(typeof webhookJobs)[N]['schema']> };

/** Bytes of a response that are read; the rest is dropped. */
export const WEBHOOK_ANSWER_BYTES = 1_024;

/** Characters of the headers of a request or a response that an attempt stores, names included. */
export const WEBHOOK_HEADERS_BYTES = 2_048;
