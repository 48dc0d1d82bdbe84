import { z } from 'zod';
import { actorKinds, certificateStates, domainStates, issueCodes, ownershipStates, recordTypes } from '../enums.js';
import { instantSchema } from './instant.js';
import { pageParameters } from './page.js';
import { projectPathSchema } from './projects.js';
import { suspensionsSchema } from './suspensions.js';
import { domainExample, routingRecordExample } from './domains.example.js';

/** Body of addDomain. What people paste is parsed by `parseDomainName`; this only bounds it. */
export const newDomainSchema = z
  .strictObject({
    name: z.string().max(1024).describe('The host name, also in Unicode. A pasted URL is taken for its host.'),
    pair: z
      .boolean()
      .default(false)
      .describe(
        'Adds the other of `www.<apex>` and the apex as well, and a redirect (301) from it to this name, which becomes ' +
          'primary where there is none.',
      ),
  })
  .meta({ id: 'NewDomain', description: 'A domain to add.', example: { name: 'docs.example.com' } });

export type NewDomain = z.infer<typeof newDomainSchema>;

const domainStateSchema = z.enum(domainStates).meta({
  id: 'DomainState',
  description: '`live` is proven by a TLS handshake; `removed` may still count `pendingEdges`.',
});

/** A record the owner is asked to create. */
const requiredRecordSchema = z
  .object({
    type: z.enum(recordTypes).extract(['CNAME', 'ALIAS', 'TXT']),
    name: z.string().describe('As one types it at a registrar, relative to the apex: the label, or `@`.'),
    value: z.string(),
    ttl: z.int().min(0).describe('Seconds.'),
    purpose: z.enum(['routing', 'ownership']),
  })
  .readonly()
  .meta({ id: 'RequiredRecord', description: 'A DNS record to create.', example: routingRecordExample });

export type RequiredRecord = z.infer<typeof requiredRecordSchema>;

/** A record that was seen. */
const observedRecordSchema = z
  .object({
    type: z.string(),
    name: z.string(),
    value: z.string(),
    ttl: z.int().min(0).nullable().describe('Seconds; null when the resolver does not tell.'),
    resolver: z.string().describe('The server that gave it.'),
    omitted: z
      .int()
      .min(1)
      .optional()
      .describe('How many more records were seen that are not shown. Long values are cut, and end with what they had.'),
  })
  .readonly()
  .meta({ id: 'ObservedRecord', description: 'A DNS record that was seen.' });

export type ObservedRecord = z.infer<typeof observedRecordSchema>;

/** A record that stands in the way. */
const recordConflictSchema = z
  .object({ type: z.string(), name: z.string(), value: z.string(), action: z.enum(['remove', 'change']) })
  .readonly()
  .meta({ id: 'RecordConflict', description: 'A DNS record that stands in the way, and what to do with it.' });

export type RecordConflict = z.infer<typeof recordConflictSchema>;

/** Why a domain is not live yet, and the exact fix. */
export const domainIssueSchema = z
  .object({
    code: z.enum(issueCodes),
    severity: z.enum(['error', 'warning', 'info']),
    message: z.string(),
    remediation: z.string(),
    evidence: z
      .record(z.string(), z.union([z.string(), z.number(), z.array(z.string()).readonly()]))
      .readonly()
      .describe('What was seen and what was expected, by name.'),
  })
  .readonly()
  .meta({ id: 'DomainIssue', description: 'Why a domain is not live yet, and the exact fix.' });

export type DomainIssue = z.infer<typeof domainIssueSchema>;

const domainCertificateSchema = z
  .object({
    state: z.enum(certificateStates),
    issuer: z.string().nullable(),
    notBefore: instantSchema.nullable(),
    notAfter: instantSchema.nullable(),
    renewAt: instantSchema
      .nullable()
      .describe(
        'When the next one is asked for; a plan, which the certificate authority may change. Null without one.',
      ),
    attempts: z.int().min(0).describe('How often one was tried for, renewals as well.'),
    nextAttemptAt: instantSchema.nullable().describe('Null when none is made by itself.'),
    rateLimitedUntil: instantSchema
      .nullable()
      .describe(
        'Until when the certificate authority takes no order for this name, by its word or its published limits.',
      ),
  })
  .readonly()
  .meta({ id: 'DomainCertificate', description: 'The certificate, or how far getting one has come.' });

export type DomainCertificate = z.infer<typeof domainCertificateSchema>;

const dnsSchema = z
  .object({
    requestedAt: instantSchema.nullable().describe('When a check was last asked for.'),
    checkedAt: instantSchema.nullable(),
    nextCheckAt: instantSchema.nullable(),
    nameServers: z
      .array(z.string())
      .readonly()
      .describe('The name servers of its zone, which tell at whom its records are made. Empty until they are known.'),
    observed: z.array(observedRecordSchema).readonly(),
    conflicts: z.array(recordConflictSchema).readonly(),
  })
  .readonly();

const ownershipSchema = z
  .object({
    required: z
      .boolean()
      .describe(
        'Whether a TXT record has to prove whose the name is: another organization has or has had it, or it is an apex, ' +
          'whose addresses say nothing of who asks. An apex needs none where a check finds that its `www.` name, in the ' +
          'same zone, points at the target of this organization, or that the apex itself does by a CNAME.',
      ),
    state: z.enum(ownershipStates),
    record: requiredRecordSchema.nullable(),
  })
  .readonly();

/** Everything about a domain in one read. Times are RFC 3339 in UTC. */
export const domainSchema = z
  .object({
    id: z.uuid(),
    name: z.string().describe('In LDH ASCII form (A-labels, RFC 5890).'),
    unicodeName: z.string(),
    apexName: z.string().describe('The registrable domain, by the public suffix list.'),
    projectId: z.uuid(),
    state: domainStateSchema,
    misconfigured: z.boolean().describe('Live, but its DNS no longer points here.'),
    createdAt: instantSchema,
    verifiedAt: instantSchema.nullable(),
    liveAt: instantSchema.nullable(),
    removedAt: instantSchema.nullable(),
    pendingEdges: z
      .int()
      .min(0)
      .describe('Edges that may still serve a removed name; 0 once traffic has stopped everywhere.'),
    pairedWith: z
      .uuid()
      .nullable()
      .describe('The domain of the project that is the same name with or without `www.`, where it is an apex.'),
    records: z.array(requiredRecordSchema).readonly().describe('What to create.'),
    dns: dnsSchema.describe('What was seen.'),
    ownership: ownershipSchema.describe('Whether a TXT record must prove whose the name is.'),
    certificate: domainCertificateSchema.nullable(),
    suspensions: suspensionsSchema.describe(
      'Why visitors get 410 instead of the site; empty unless the domain is suspended.',
    ),
    issues: z
      .array(domainIssueSchema)
      .readonly()
      .describe('Why it is not live yet, or what stands against its certificate.'),
  })
  .readonly()
  .meta({ id: 'Domain', description: 'A custom domain of a project: everything in one read.', example: domainExample });

export type Domain = z.infer<typeof domainSchema>;

/** Who has done something. */
const actorSchema = z
  .object({
    kind: z.enum(actorKinds),
    id: z.uuid().nullable().describe('Of the API key; null for what happened by itself.'),
    display: z.string().nullable().describe('How the API key is shown in lists.'),
  })
  .readonly()
  .meta({ id: 'Actor', description: 'Who has done something: an API key, or the service by itself.' });

/** One line of a domain's history. */
export const domainHistoryEntrySchema = z
  .object({
    number: z.int().min(1).describe('Ascends by one in each project.'),
    domainId: z.uuid(),
    type: z
      .string()
      .describe(
        'What happened, such as `dns.checked` or `certificate.issued`. What the owner is told of the certificate, each once: ' +
          '`certificate.overdue`, `certificate.renewal_at_risk`, `certificate.expiring`, `certificate.expired`. ' +
          '`domain.suspended` and `domain.resumed`, whose detail says why. ' +
          'After a removal that was answered with 202: `traffic.stopped`, when the last edge has stopped serving the domain.',
      ),
    from: domainStateSchema.nullable(),
    to: domainStateSchema,
    actor: actorSchema,
    detail: z.string().describe('What happened, and why.'),
    at: instantSchema,
  })
  .readonly()
  .meta({
    id: 'DomainHistoryEntry',
    description: 'One line of a domain’s history.',
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
  domain: z.string().meta({ description: 'The domain’s name, or its id.', example: 'docs.example.com' }),
});
