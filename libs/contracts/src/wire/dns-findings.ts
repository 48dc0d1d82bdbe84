import { z } from 'zod';

const dnsQuestionTypes = ['CNAME', 'A', 'AAAA', 'TXT', 'CAA', 'NS', 'SOA'] as const;
export type DnsQuestionType = (typeof dnsQuestionTypes)[number];

/** A record as it stands in an answer section. `value` is in presentation form, cut where it is long; a TXT's strings are joined. */
const dnsRecordSchema = z.object({
  value: z.string(),
  /** Seconds; null when the resolver library does not tell. */
  ttl: z.int().nullable(),
});

/**
 * Looking something up ends in yes, no, or *could not tell*. `absent` is NXDOMAIN or NODATA; everything else that is
 * no answer (SERVFAIL, REFUSED, time-out) is `failed` and is never evidence against the owner.
 */
const dnsAnswerSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('found'),
    records: z.array(dnsRecordSchema).min(1),
    /** How many more records the set has. Those that decide are never among them, see `boundFindings` in `@pets/domains`. */
    omitted: z.int().min(1).optional(),
  }),
  z.object({
    kind: z.literal('absent'),
    /** Seconds for which a cache may go on saying so: the lesser of the SOA's TTL and its MINIMUM (RFC 2308 §5). */
    ttl: z.int().optional(),
    /** The zone that says so, where its SOA came with the answer. */
    zone: z.string().optional(),
  }),
  z.object({
    kind: z.literal('failed'),
    error: z.string(),
    /** The server answered, and with more than is read. */
    reason: z.literal('too_large').optional(),
  }),
]);
export type DnsAnswer = z.infer<typeof dnsAnswerSchema>;

/** One question put to one server. Names are lower case, without the final dot. */
const dnsLookupSchema = z.object({
  name: z.string(),
  type: z.enum(dnsQuestionTypes),
  /** `address:port` of the server that was asked. */
  server: z.string(),
  /** Whether it is one of the zone's own servers, asked past all caches, and no resolver. */
  isAuthoritative: z.boolean().optional(),
  answer: dnsAnswerSchema,
  /** The name that CNAMEs in the answer led to, where they led away: the records of the answer are that one's. */
  alias: z.string().optional(),
  /** When the answer came. */
  at: z.iso.datetime().optional(),
});
export type DnsLookup = z.infer<typeof dnsLookupSchema>;

/**
 * Everything a check asked, as a flat list of facts, of each resolver and of the zone's own servers where these can be
 * reached: CNAMEs of the name and of each name its chain leads to, A and AAAA of the name itself, the
 * ownership TXT where one is wanted. Of the resolvers besides: A and AAAA of our own target (for an apex), and where the
 * name does not point here, the two probes that explain the usual mistakes (see `probes.ts` in `@pets/domains`).
 */
export const dnsFindingsSchema = z.object({
  checkedAt: z.iso.datetime(),
  lookups: z.array(dnsLookupSchema),
  /** The names of the zone's own servers, sorted, without the final dot; left out where they could not be told. */
  nameServers: z.array(z.string()).min(1).optional(),
});
export type DnsFindings = z.infer<typeof dnsFindingsSchema>;
