import { z } from 'zod';
import { externalIdSchema, metadataSchema } from './domain-labels.js';
import { domainExample, routingRecordExample } from './domains.example.js';
import { requiredRecordSchema, writtenNameSchema } from './domains.js';
import { apiErrorSchema } from './errors.js';

/** Names of a batch. Larger sets are imports. */
const MAX_BATCH_DOMAINS = 1_000;

/** Bytes of the body of a batch. */
export const MAX_BATCH_BYTES = 1_048_576;

const addedNameSchema = z.strictObject({
  name: writtenNameSchema.describe('The host name, in ASCII or Unicode.'),
  externalId: externalIdSchema.optional(),
  metadata: metadataSchema.optional(),
});

export type AddedName = z.infer<typeof addedNameSchema>;

/** Body of addDomains. */
export const newDomainBatchSchema = z
  .strictObject({ domains: z.array(addedNameSchema).min(1).max(MAX_BATCH_DOMAINS) })
  .meta({
    id: 'NewDomainBatch',
    description: 'Domains to add. Domains that exist keep their `externalId` and `metadata`.',
    example: {
      domains: [
        { name: 'docs.example.com', externalId: 'customer-42', metadata: { tier: 'gold' } },
        { name: '*.example.com' },
      ],
    },
  });

export type NewDomainBatch = z.infer<typeof newDomainBatchSchema>;

const refusal = apiErrorSchema.nullable().describe('Why the name was refused, as a request for it alone would be.');

const addedDomainSchema = z
  .object({
    name: z.string().describe('The name as it was sent.'),
    result: z
      .enum(['created', 'exists', 'refused'])
      .describe('`exists`: the project already has the domain, and nothing changes.'),
    id: z.uuid().nullable().describe('The id of the domain; null if the name was refused.'),
    records: z.array(requiredRecordSchema).readonly().describe('The DNS records to create, as `GET` shows them.'),
    error: refusal,
  })
  .meta({ id: 'AddedDomain', description: 'What became of a name of a batch.' });

export type AddedDomain = z.infer<typeof addedDomainSchema>;

export const addedDomainsSchema = z
  .object({ results: z.array(addedDomainSchema).describe('One for each name, in the order sent.') })
  .meta({
    id: 'AddedDomains',
    description: 'The results of a batch.',
    example: {
      results: [
        {
          name: 'docs.example.com',
          result: 'created',
          id: domainExample.id,
          records: [routingRecordExample],
          error: null,
        },
        {
          name: 'co.uk',
          result: 'refused',
          id: null,
          records: [],
          error: {
            code: 'invalid_domain',
            message: 'name: co.uk is a public suffix: other people register names below it.',
            status: 400,
            errors: [{ field: 'name', message: 'co.uk is a public suffix: other people register names below it.' }],
          },
        },
      ],
    },
  });

export type AddedDomains = z.infer<typeof addedDomainsSchema>;

/** Body of removeDomains. */
export const domainBatchRemovalSchema = z
  .strictObject({
    domains: z
      .array(z.strictObject({ name: writtenNameSchema.describe('The name or the id of the domain.') }))
      .min(1)
      .max(MAX_BATCH_DOMAINS),
  })
  .meta({
    id: 'DomainBatchRemoval',
    description: 'Domains to remove.',
    example: { domains: [{ name: 'docs.example.com' }] },
  });

export type DomainBatchRemoval = z.infer<typeof domainBatchRemovalSchema>;

const removedDomainSchema = z
  .object({
    name: z.string().describe('The name or the id as it was sent.'),
    result: z
      .enum(['removed', 'stopping', 'refused'])
      .describe(
        '`removed`: no edge serves the domain any more, unless a wildcard does. `stopping`: removed, but some edge may still ' +
          'serve it.',
      ),
    id: z.uuid().nullable().describe('The id of the domain; null if the name was refused.'),
    coveredBy: z
      .string()
      .nullable()
      .describe('The wildcard of the organization that covers the name and serves it; null without one.'),
    error: refusal,
  })
  .meta({ id: 'RemovedDomain', description: 'What became of a domain of a batch.' });

export type RemovedDomain = z.infer<typeof removedDomainSchema>;

export const removedDomainsSchema = z
  .object({ results: z.array(removedDomainSchema).describe('One for each name, in the order sent.') })
  .meta({
    id: 'RemovedDomains',
    description: 'The results of a batch.',
    example: {
      results: [{ name: 'docs.example.com', result: 'removed', id: domainExample.id, coveredBy: null, error: null }],
    },
  });

export type RemovedDomains = z.infer<typeof removedDomainsSchema>;
