import { z } from 'zod';
import { challengeMethods, revocationCheckResults } from '../enums.js';
import {
  attemptSchema,
  revocationAttemptSchema,
  WEBHOOK_ANSWER_BYTES,
  WEBHOOK_HEADERS_BYTES,
  webhookAttemptIdSchema,
} from './jobs.js';

const dnsQuestionTypes = ['CNAME', 'A', 'AAAA', 'TXT', 'CAA', 'NS', 'SOA'] as const;
export type DnsQuestionType = (typeof dnsQuestionTypes)[number];

/** A record of an answer. `value` is in presentation form and truncated if long; the strings of a TXT are concatenated. */
const dnsRecordSchema = z.object({
  value: z.string(),
  /** In seconds; null if unknown. */
  ttl: z.int().nullable(),
});

/**
 * The result of a lookup: yes, no, or unknown. `absent` is NXDOMAIN or NODATA. Every other failure (SERVFAIL, REFUSED,
 * timeout) is `failed`, which is never evidence against the owner.
 */
const dnsAnswerSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('found'),
    records: z.array(dnsRecordSchema).min(1),
    /** How many records of the set are left out. They never decide, see `boundFindings` in `@pets/domains`. */
    omitted: z.int().min(1).optional(),
  }),
  z.object({
    kind: z.literal('absent'),
    /** How long a cache may keep the answer, in seconds: the lesser of the SOA's TTL and its MINIMUM (RFC 2308 §5). */
    ttl: z.int().optional(),
    /** The zone of the SOA in the answer. */
    zone: z.string().optional(),
  }),
  z.object({
    kind: z.literal('failed'),
    error: z.string(),
    /** The server answered, but the answer exceeds a limit. */
    reason: z.literal('too_large').optional(),
    /** The validation of DNSSEC at a resolver failed: it answers the same question with checking disabled (RFC 4035 §3.2.2). */
    isBogus: z.literal(true).optional(),
  }),
]);
export type DnsAnswer = z.infer<typeof dnsAnswerSchema>;

/** One question to one server. Names are lower case, without the final dot. */
const dnsLookupSchema = z.object({
  name: z.string(),
  type: z.enum(dnsQuestionTypes),
  /** `address:port` of the server. */
  server: z.string(),
  /** Whether the server is authoritative, as opposed to a resolver with a cache. */
  isAuthoritative: z.boolean().optional(),
  answer: dnsAnswerSchema,
  /** The target of the CNAMEs in the answer, if any. The records of the answer belong to this name. */
  alias: z.string().optional(),
  /** When the answer came. */
  at: z.iso.datetime().optional(),
});
export type DnsLookup = z.infer<typeof dnsLookupSchema>;

/**
 * All lookups of a check, of each resolver and of the authoritative servers that are reachable: CNAMEs of the name and of
 * each name in its chain, A and AAAA of the name, the ownership TXT if required, and the delegation of challenges. If the
 * name shows addresses, those of our target and the ownership TXT; if it does not point here, a probe that explains a usual
 * mistake; if the validation of DNSSEC fails at a resolver, the SOA of the parent of the registered domain; if the TXT may come from a wildcard, a random sibling of it (see `probes.ts` in `@pets/domains`).
 */
const dnsFindingsSchema = z.object({
  checkedAt: z.iso.datetime(),
  lookups: z.array(dnsLookupSchema),
  /** The names of the authoritative servers, sorted, without the final dot; null if unknown. */
  nameServers: z.array(z.string()).min(1).nullable(),
  /** The zone of the name, by the SOA or NS records in the answers; null if unknown. */
  zone: z.string().nullable(),
});
export type DnsFindings = z.infer<typeof dnsFindingsSchema>;

const caaVerdictSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('permits') }),
  z.object({
    kind: z.literal('forbids'),
    at: z.string(),
    records: z.array(z.string()),
    /** The exact record that would permit issuance. */
    permitting: z.string(),
    /** Critical records with an unknown tag. They forbid issuance regardless of the other records. */
    blocking: z.array(z.string()).optional(),
  }),
  z.object({
    kind: z.literal('unknown'),
    at: z.string(),
    error: z.string(),
    /** `address:port: error` of each server that gave no answer; empty where another reason prevents a verdict. */
    failures: z.array(z.string()),
    /** Absent if no usable answer came. */
    reason: z.literal('too_large').optional(),
    /** The DNSSEC of the zone is broken. */
    isBogus: z.literal(true).optional(),
  }),
]);
export type CaaVerdict = z.infer<typeof caaVerdictSchema>;

/** Null where there are none. PostgreSQL text cannot contain NUL. */
const webhookHeadersSchema = z
  .record(z.string(), z.string())
  .refine((headers) => {
    const text = Object.entries(headers).flat().join('');
    return text.length <= WEBHOOK_HEADERS_BYTES && !text.includes('\0');
  })
  .nullable();

/** The result of an HTTP-01 request to each address. */
const reachabilitySchema = z.object({
  address: z.string(),
  /** Null when the expected key authorization came back. */
  error: z.string().nullable(),
});

/** The findings of the preflight checks before an order. The first check that fails ends the attempt. */
const preflightFindingsSchema = z.object({
  dns: dnsFindingsSchema,
  caa: caaVerdictSchema.nullable(),
  reachability: z.array(reachabilitySchema),
  /** The methods of the attempt: the findings are those of the first one. */
  methods: z.array(z.enum(challengeMethods)).min(1),
  /** Reason why our name server cannot publish the answers of DNS-01 challenges; null if it can, or was not asked. */
  challengeError: z.string().nullable(),
});
export type PreflightFindings = z.infer<typeof preflightFindingsSchema>;

/** The type of our own problem: the answer to a challenge did not become visible. The CA has not failed. */
export const CHALLENGE_NOT_PUBLISHED = 'urn:pets:challenge-not-published';

/** The type of the problem of a CA that limits requests (RFC 8555 §6.6). */
export const RATE_LIMITED = 'urn:ietf:params:acme:error:rateLimited';

/** A CA's problem document (RFC 8555 §6.7), or the error that came instead. */
const caProblemSchema = z.object({
  /** `urn:ietf:params:acme:error:…`, or null without a problem document (network error, timeout, malformed body). */
  type: z.string().nullable(),
  detail: z.string(),
  /** HTTP status, where there was an answer. */
  status: z.int().nullable(),
  /** From `Retry-After`. */
  retryAt: z.iso.datetime().nullable(),
});
export type CaProblem = z.infer<typeof caProblemSchema>;

const MAX_ORDER_URL = 2_000;

/**
 * The catalog of events from the worker to the API. Events report facts; they never set a state. They are jobs of the BullMQ
 * queue `domain-events`, and the name of an event is the name of its job.
 */
export const domainEvents = {
  'dns.checked': attemptSchema.extend({ findings: dnsFindingsSchema }),
  'domain.reverified': attemptSchema.extend({ findings: dnsFindingsSchema, caa: caaVerdictSchema }),
  'certificate.issued': attemptSchema.extend({
    directoryUrl: z.url(),
    chainPem: z.string(),
    /** Method that the attempt used. */
    method: z.enum(challengeMethods),
  }),
  /** The CA accepted a new order. Sent before the order is finalized, so that another attempt can continue it. */
  'certificate.ordered': attemptSchema.extend({
    directoryUrl: z.url(),
    method: z.enum(challengeMethods),
    orderUrl: z.url().max(MAX_ORDER_URL),
    /** When the CA gives the order up (RFC 8555 §7.1.3); null when it did not say. */
    expires: z.iso.datetime().nullable(),
    /** The certificate that the order replaces; null where the CA refused that (RFC 9773 §5). */
    replaces: z.string().nullable(),
  }),
  /** The CA has not finished the order: the attempt ends, and a later one continues. No failure. */
  'certificate.pending': attemptSchema.extend({
    directoryUrl: z.url(),
    /** From `Retry-After`. */
    retryAt: z.iso.datetime().nullable(),
  }),
  'certificate.failed': attemptSchema.extend({
    directoryUrl: z.url(),
    stage: z.enum(['gate', 'account', 'order', 'challenge', 'finalize', 'chain']),
    /** Whether an order was placed at the CA; without an order, the attempt uses no budget. */
    ordered: z.boolean(),
    /** Method that the attempt used; null if it failed before it chose one. */
    method: z.enum(challengeMethods).nullable(),
    problem: caProblemSchema.nullable(),
    gate: preflightFindingsSchema.nullable(),
    /**
     * State of an order that `certificate.ordered` named: `open` if it may still give a certificate, and `gone` if the
     * CA does not know it any more or it must not be finalized. Null if it has ended, or was not placed.
     */
    order: z.enum(['open', 'gone']).nullable(),
  }),
  /** The renewal window of the CA (RFC 9773 §4.2). All null: the CA offers no renewal information. */
  'renewal_info.fetched': attemptSchema.extend({
    directoryUrl: z.url(),
    certificateIdentifier: z.string(),
    window: z.object({ start: z.iso.datetime(), end: z.iso.datetime() }).nullable(),
    /** A page of the CA that explains the window. */
    explanationUrl: z.string().nullable(),
    /** From `Retry-After`: when to ask again. */
    retryAt: z.iso.datetime().nullable(),
    /** The error, if the request failed. */
    problem: caProblemSchema.nullable(),
  }),
  'certificate.served': attemptSchema.extend({ leafSha256: z.string() }),
  'certificate.not_served': attemptSchema.extend({
    seen: z.array(z.object({ edgeId: z.string(), error: z.string() })),
  }),
  /** Every result of a probe of which some edge failed, or had failed lately. */
  'edges.probed': z.object({
    domainId: z.uuid(),
    /** The error is null when the edge presented the certificate. */
    results: z.array(z.object({ edgeId: z.string(), error: z.string().nullable() })),
  }),
  /** The CA revoked the certificate. */
  'certificate.revoked': revocationAttemptSchema.extend({ directoryUrl: z.url() }),
  /** The CA refused the revocation (also if the certificate was already revoked) or could not be reached. */
  'certificate.revocation_failed': revocationAttemptSchema.extend({ directoryUrl: z.url(), problem: caProblemSchema }),
  /** Result of reading the revocation list for an uploaded certificate. */
  'revocation_list.checked': revocationAttemptSchema.extend({
    result: z.enum(revocationCheckResults),
    /** Time of the revocation, or the reason why the list could not be used. */
    detail: z.string().max(500).nullable(),
  }),
  /** Our account at a CA exists, with the key that orders. Edges answer HTTP-01 with its `thumbprint` (RFC 7638). */
  'account.ready': z.object({ directoryUrl: z.url(), accountUrl: z.url(), thumbprint: z.string() }),
  /** The result of one request to an endpoint. The API decides whether it counts as delivered. */
  'webhook.attempted': webhookAttemptIdSchema.extend({
    /** When the request started. */
    at: z.iso.datetime(),
    /** Null when no answer came. */
    status: z.int().nullable(),
    /** Reason why no answer came; null when one did. */
    error: z.string().nullable(),
    durationMs: z.int().nonnegative(),
    /** From `Retry-After`. */
    retryAt: z.iso.datetime().nullable(),
    /** The beginning of the response body. PostgreSQL text cannot contain NUL. */
    bodyStart: z
      .string()
      .max(WEBHOOK_ANSWER_BYTES)
      .refine((text) => !text.includes('\0'))
      .nullable(),
    /** Headers as sent, with the signatures. */
    requestHeaders: webhookHeadersSchema,
    /** The first ones, without those that hold credentials. */
    responseHeaders: webhookHeadersSchema,
  }),
} as const;

export type DomainEventName = keyof typeof domainEvents;
export type DomainEvents = { [N in DomainEventName]: z.infer<(typeof domainEvents)[N]> };
