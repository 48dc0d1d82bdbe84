import { z } from 'zod';

export const dnsQuestionTypes = ['CNAME', 'A', 'AAAA', 'TXT', 'CAA'] as const;
export type DnsQuestionType = (typeof dnsQuestionTypes)[number];

/** A record as it stands in an answer section. `value` is in presentation form; a TXT's strings are joined. */
export const dnsRecordSchema = z.object({
  value: z.string(),
  /** Seconds; null when the resolver library does not tell. */
  ttl: z.int().nullable(),
});

/**
 * Looking something up ends in yes, no, or *could not tell*. `absent` is NXDOMAIN or NODATA; everything else that is
 * no answer (SERVFAIL, REFUSED, time-out) is `failed` and is never evidence against the owner.
 */
export const dnsAnswerSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('found'), records: z.array(dnsRecordSchema).min(1) }),
  z.object({ kind: z.literal('absent') }),
  z.object({ kind: z.literal('failed'), error: z.string() }),
]);
export type DnsAnswer = z.infer<typeof dnsAnswerSchema>;

/** One question put to one server. Names are lower case, without the final dot. */
export const dnsLookupSchema = z.object({
  name: z.string(),
  type: z.enum(dnsQuestionTypes),
  /** `address:port` of the server that was asked. */
  server: z.string(),
  answer: dnsAnswerSchema,
});
export type DnsLookup = z.infer<typeof dnsLookupSchema>;

/**
 * Everything a check asked, as a flat list of facts: CNAMEs of the name and of each name its chain leads to, A and AAAA
 * of the name where it has no CNAME, A and AAAA of our own target (for an apex), the ownership TXT where one is wanted.
 */
export const dnsFindingsSchema = z.object({ checkedAt: z.iso.datetime(), lookups: z.array(dnsLookupSchema) });
export type DnsFindings = z.infer<typeof dnsFindingsSchema>;
