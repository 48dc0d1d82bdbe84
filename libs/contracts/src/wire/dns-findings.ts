import { z } from 'zod';

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
export const dnsFindingsSchema = z.object({
  checkedAt: z.iso.datetime(),
  lookups: z.array(dnsLookupSchema),
  /** The names of the authoritative servers, sorted, without the final dot; null if unknown. */
  nameServers: z.array(z.string()).min(1).nullable(),
  /** The zone of the name, by the SOA or NS records in the answers; null if unknown. */
  zone: z.string().nullable(),
});
export type DnsFindings = z.infer<typeof dnsFindingsSchema>;
