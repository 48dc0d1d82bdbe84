import { z } from 'zod';
import { actorKinds, domainStates, issueAreas, issueCodes, ownershipStates, recordTypes } from '../enums.js';
import { domainCertificateSchema, ownCertificateSchema, readinessSchema } from './certificates.js';
import { externalIdSchema, metadataSchema } from './domain-labels.js';
import { instantSchema } from './scalars.js';
import { pageParameters } from './page.js';
import { projectPathSchema } from './projects.js';
import { suspensionsSchema } from './suspensions.js';
import { domainExample, routingRecordExample } from './domains.example.js';

/** Longer texts are no names, in no encoding. */
export const MAX_WRITTEN_NAME = 1_024;

/** A name as somebody writes it. */
export const writtenNameSchema = z.string().max(MAX_WRITTEN_NAME);

/** Body of addDomain. The schema only limits the length; `parseDomainName` parses the name. */
export const newDomainSchema = z
  .strictObject({
    name: writtenNameSchema.describe(
      'The host name, in ASCII or Unicode, as a browser accepts it. Of a URL, the host is used.',
    ),
    pair: z
      .boolean()
      .default(false)
      .describe(
        'Whether to add the counterpart as well (`www.<apex>` for the apex and vice versa), with a redirect (301) to this ' +
          'name. This name becomes the primary domain if the project has none.',
      ),
    externalId: externalIdSchema.optional(),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: 'NewDomain', description: 'A domain to add.', example: { name: 'docs.example.com' } });

export type NewDomain = z.infer<typeof newDomainSchema>;

const domainStateSchema = z.enum(domainStates).meta({
  id: 'DomainState',
  description:
    '`live` is confirmed by TLS handshakes with the edges, of a large fleet with a sample. A `removed` domain may still have `pendingEdges`.',
});

/** One of the address records that may stand in place of an ALIAS. */
const alternativeRecordSchema = z
  .object({
    type: z.enum(recordTypes).extract(['A', 'AAAA']),
    name: z.string().describe('The name as entered at a DNS provider: that of the record it replaces.'),
    value: z.string().describe('One of our public addresses.'),
    ttl: z.int().min(0).describe('In seconds.'),
  })
  .readonly();

/** A record that the owner has to create. */
export const requiredRecordSchema = z
  .object({
    type: z.enum(recordTypes).extract(['CNAME', 'ALIAS', 'TXT']),
    name: z.string().describe('The name as entered at a DNS provider, relative to the apex: the label, or `@`.'),
    value: z.string(),
    ttl: z.int().min(0).describe('In seconds.'),
    purpose: z
      .enum(['routing', 'ownership', 'delegation'])
      .describe(
        '`routing` leads visitors here, `ownership` proves whose name it is, and `delegation` lets us get the certificate ' +
          'while the name still points elsewhere. The delegation proves ownership as well.',
      ),
    optional: z.literal(true).optional().describe('The domain also goes live without this record.'),
    alternatives: z
      .array(alternativeRecordSchema)
      .min(1)
      .optional()
      .describe(
        'Records to create instead of this one, all of them, at a provider that has no ALIAS or ANAME. Absent where the ' +
          'record can be created anywhere, and where the operator has listed no public addresses.',
      ),
  })
  .readonly()
  .meta({ id: 'RequiredRecord', description: 'A DNS record to create.', example: routingRecordExample });

export type RequiredRecord = z.infer<typeof requiredRecordSchema>;

/** A record that a check found. */
const observedRecordSchema = z
  .object({
    type: z.string(),
    name: z.string(),
    value: z.string(),
    ttl: z.int().min(0).nullable().describe('In seconds; null if unknown.'),
    resolver: z.string().describe('The name server that returned the record.'),
    omitted: z
      .int()
      .min(1)
      .optional()
      .describe(
        'How many more records exist that are not shown. Long values are truncated and end with their original size.',
      ),
  })
  .readonly()
  .meta({ id: 'ObservedRecord', description: 'A DNS record that a check found.' });

export type ObservedRecord = z.infer<typeof observedRecordSchema>;

/** A record that prevents verification. */
const recordConflictSchema = z
  .object({ type: z.string(), name: z.string(), value: z.string(), action: z.enum(['remove', 'change']) })
  .readonly()
  .meta({ id: 'RecordConflict', description: 'A DNS record that prevents verification, and what to do with it.' });

export type RecordConflict = z.infer<typeof recordConflictSchema>;

/** A record that prevented verification, and is gone. */
const formerRecordSchema = recordConflictSchema
  .unwrap()
  .extend({
    ttl: z.int().min(0).nullable().describe('For how long caches may keep a copy, in seconds; null if unknown.'),
    goneAt: instantSchema.describe('The first check without the record.'),
  })
  .readonly()
  .meta({ id: 'FormerRecord', description: 'A DNS record that prevented verification, and is gone.' });

export type FormerRecord = z.infer<typeof formerRecordSchema>;

/** A problem of a domain, and the exact fix. */
export const domainIssueSchema = z
  .object({
    code: z.enum(issueCodes),
    title: z.string().describe('The problem in at most 30 characters, such as `wrong CNAME value`.'),
    area: z
      .enum(issueAreas)
      .describe(
        'The subject: `dns` is the records of the name, `zone` the name servers of its zone and their signatures, ' +
          '`delegation` the record that delegates challenges.',
      ),
    severity: z
      .enum(['error', 'warning', 'info'])
      .describe(
        '`error`: the owner has to act; `warning`: it resolves automatically, or matters only later; `info`: progress.',
      ),
    blocking: z.boolean().describe('Whether the domain cannot go live until this is solved. A live domain stays live.'),
    resolvesAutomatically: z.boolean().describe('Whether it is solved in time, without a change by the owner.'),
    message: z.string().describe('What was found, for the owner of the domain.'),
    cause: z
      .string()
      .nullable()
      .describe(
        'What is wrong, in short and without the values of records: for a page that lists the records to create, change ' +
          'and delete. Null: show `message` and `remediation`.',
      ),
    remediation: z.string().describe('What to do.'),
    evidence: z
      .record(z.string(), z.union([z.string(), z.number(), z.array(z.string()).readonly()]))
      .readonly()
      .describe('Observed and expected values, by name.'),
  })
  .readonly()
  .meta({ id: 'DomainIssue', description: 'A problem of a domain, and the exact fix.' });

export type DomainIssue = z.infer<typeof domainIssueSchema>;

const dnsSchema = z
  .object({
    requestedAt: instantSchema.nullable().describe('When a check was last requested.'),
    checkedAt: instantSchema.nullable(),
    nextCheckAt: instantSchema.nullable(),
    nameServers: z
      .array(z.string())
      .readonly()
      .describe(
        'The name servers of the zone of the domain, which identify the DNS provider. Empty until they are known.',
      ),
    observed: z.array(observedRecordSchema).readonly(),
    conflicts: z.array(recordConflictSchema).readonly(),
    former: z
      .array(formerRecordSchema)
      .readonly()
      .optional()
      .describe(
        'Records that were in `conflicts` and are gone: all of them until the domain is verified, then those of which caches may ' +
          'have copies. Absent without any.',
      ),
  })
  .readonly();

const ownershipSchema = z
  .object({
    required: z
      .boolean()
      .describe(
        'Whether a TXT record must prove ownership of the name: if another organization has or had it, or if it is an apex ' +
          'or shows only addresses, which do not identify an organization. An apex needs none if a check finds that its `www.` name, in the ' +
          'same zone, points to the target of this organization, or that the apex itself does through a CNAME.',
      ),
    state: z.enum(ownershipStates),
    record: requiredRecordSchema.nullable(),
  })
  .readonly();

/** A domain with its complete status. Times are RFC 3339 in UTC. */
export const domainSchema = z
  .object({
    id: z.uuid(),
    name: z.string().describe('In ASCII form (A-labels, RFC 5890).'),
    unicodeName: z.string(),
    apexName: z.string().describe('The registrable domain, by the public suffix list.'),
    projectId: z.uuid(),
    externalId: z.string().nullable().describe('The id that you gave the domain.'),
    metadata: z.record(z.string(), z.string()).describe('Values that you stored with the domain, by key.'),
    channel: z
      .string()
      .nullable()
      .describe(
        'The channel that the domain serves, unless it has an origin of its own. Null: it serves what the project serves.',
      ),
    originId: z
      .uuid()
      .nullable()
      .describe(
        'The id of the origin of its own, of which `getDomainOrigin` returns the state: once its test has passed, the domain is ' +
          'forwarded to it. Null without one.',
      ),
    state: domainStateSchema,
    misconfigured: z.boolean().describe('Whether the domain is live although its DNS no longer points here.'),
    createdAt: instantSchema,
    verifiedAt: instantSchema.nullable(),
    liveAt: instantSchema.nullable(),
    removedAt: instantSchema.nullable(),
    pendingEdges: z
      .int()
      .min(0)
      .describe('How many edges may still serve the removed domain; 0 once all of them have stopped.'),
    pairedWith: z
      .uuid()
      .nullable()
      .describe('The counterpart of the domain in the project: `www.<apex>` for the apex, and vice versa.'),
    coveredBy: z
      .string()
      .nullable()
      .describe(
        'The wildcard of the organization that covers the name, such as `*.example.com`: it serves the name where the name itself ' +
          'is not served. Null without one, and where it excludes the name.',
      ),
    exclusions: z
      .array(z.string())
      .readonly()
      .nullable()
      .describe('Of a wildcard: the names that it covers and that are not served. Null for other names.'),
    records: z.array(requiredRecordSchema).readonly().describe('The DNS records to create.'),
    dns: dnsSchema.describe('The result of the last DNS check.'),
    ownership: ownershipSchema.describe('Whether a TXT record must prove ownership of the name.'),
    certificate: domainCertificateSchema.nullable(),
    ownCertificate: ownCertificateSchema
      .optional()
      .describe('The certificate that you uploaded; absent without one. Then `certificate` is the fallback.'),
    readiness: readinessSchema
      .nullable()
      .describe(
        'Whether the DNS record can be switched without an interruption, while the domain awaits its DNS. Null afterwards, and ' +
          'where challenges cannot be delegated.',
      ),
    suspensions: suspensionsSchema.describe(
      'Why visitors get 410 instead of the site; empty unless the domain is suspended.',
    ),
    issues: z
      .array(domainIssueSchema)
      .readonly()
      .describe('Why the domain is not live yet, or what prevents its certificate.'),
  })
  .readonly()
  .meta({
    id: 'Domain',
    description: 'A custom domain of a project, with its complete status.',
    example: domainExample,
  });

export type Domain = z.infer<typeof domainSchema>;

/** The actor of an event. */
const actorSchema = z
  .object({
    kind: z.enum(actorKinds),
    id: z.uuid().nullable().describe('The id of the person or the API key; null for the service.'),
    display: z.string().nullable().describe('The person’s name or e-mail address, or the API key as shown in lists.'),
  })
  .readonly()
  .meta({ id: 'Actor', description: 'The person, API key or service that caused an event.' });

/** An event in the history of a domain. */
export const domainHistoryEntrySchema = z
  .object({
    number: z.int().min(1).describe('Number within the project. Numbers ascend; some may be missing.'),
    domainId: z.uuid(),
    type: z
      .string()
      .describe(
        'The kind of event, such as `dns.checked` or `certificate.issued`. Alerts about the certificate, each sent once: ' +
          '`certificate.overdue`, `certificate.renewal_at_risk`, `certificate.expiring`, `certificate.expired`. ' +
          'The detail of `domain.suspended` and `domain.resumed` contains the reason. ' +
          'A move has a line `owner.moved` in the history of both projects. ' +
          'After a removal that was answered with 202, `traffic.stopped` follows when the last edge has stopped serving the domain.',
      ),
    from: domainStateSchema.nullable(),
    to: domainStateSchema,
    actor: actorSchema,
    detail: z.string().describe('What happened and why, for people.'),
    at: instantSchema,
  })
  .readonly()
  .meta({
    id: 'DomainHistoryEntry',
    description: 'An event in the history of a domain.',
    example: {
      number: 1,
      domainId: domainExample.id,
      type: 'owner.added',
      from: null,
      to: 'awaiting_dns',
      actor: { kind: 'api_key', id: '9b2f7a44-6d3c-4e0b-8f5e-2c1d0a9b8e77', display: 'pets_live_…k3Qz' },
      detail: 'added: waiting for its DNS record',
      at: '2026-11-02T09:10:00.000Z',
    },
  });

export type DomainHistoryEntry = z.infer<typeof domainHistoryEntrySchema>;

/** The beginning of a stream of events, for the interface description. */
export const streamExample = `retry: 1000
id: 4
event: ready
data: {"number":4}

id: 5
event: history
data: {"number":5,"domainId":"${domainExample.id}","type":"certificate.served","from":"verified","to":"live","actor":{"kind":"system","id":null,"display":null},"detail":"live: every edge serves the certificate","at":"2026-11-02T09:12:00.000Z"}

event: changed
data: {"domainId":"${domainExample.id}"}

`;

/** Query of listDomainEvents and listProjectEvents. Strict, as every query. */
export const listHistoryQuerySchema = z.strictObject(pageParameters);

export type ListHistoryQuery = z.infer<typeof listHistoryQuerySchema>;

/** Path of a domain: its id or its name. */
export const domainPathSchema = z.strictObject({
  ...projectPathSchema.shape,
  domain: z.string().meta({ description: 'The name or the id of the domain.', example: 'docs.example.com' }),
});
