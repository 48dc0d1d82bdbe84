import { z } from 'zod';
import { noticeCodes, plans, type LimitName } from '../enums.js';
import { scopeSchema, someApiKeysSchema } from './api-keys.js';
import { personSchema } from './people.js';
import { instantSchema } from './scalars.js';
import { suspensionsSchema } from './suspensions.js';

const amount = (description: string) => z.int().min(0).describe(description);

const storedBytes = (description: string) =>
  z
    .int()
    .min(0)
    .meta({ description, wire: { type: 'integer', format: 'int64', minimum: 0 } });

const limitSchemas = {
  requestsPerMinute: z
    .int()
    .min(1)
    .nullable()
    .describe('Requests per minute, for all keys and sessions together. Null: unlimited.'),
  eventStreams: amount('Concurrent event streams per server, for all keys and sessions together.'),
  concurrentUploads: amount('Concurrent uploads of deployments.'),
  storageBytes: storedBytes('Bytes stored for deployments.'),
  databaseBytes: storedBytes('Bytes in the database.'),
  importBytesPerDay: storedBytes('Bytes of files of domains imported in one day, UTC.'),
  keptDeployments: amount('Deployments kept per project: those that were uploaded or activated last.'),
  channelsPerProject: amount('Channels per project.'),
  origins: amount('Origins of all projects and domains together.'),
  apiKeys: amount('API keys that are neither revoked nor expired.'),
  projects: amount('Projects.'),
  domainsPerProject: amount('Domains per project. 0: the plan does not include custom domains.'),
  webhookEndpoints: amount('Webhook endpoints.'),
} as const satisfies Record<LimitName, z.ZodType>;

const usageSchemas = {
  apiKeys: amount('API keys that are neither revoked nor expired.'),
  projects: amount('Projects.'),
  domains: amount('Domains of all projects together.'),
  domainsPerProject: amount('Domains of the project that has the most.'),
  webhookEndpoints: amount('Webhook endpoints.'),
  origins: amount('Origins of all projects and domains together.'),
  storageBytes: storedBytes(
    'Bytes stored. Each file counts once; files of deployments that are no longer kept count for about a day.',
  ),
  databaseBytes: storedBytes('Bytes in the database, estimated about every minute.'),
  importBytesPerDay: storedBytes('Bytes of files of domains imported today, UTC, cancelled imports included.'),
} as const satisfies Partial<Record<LimitName | 'domains', z.ZodType>>;

const limitsExample = {
  requestsPerMinute: 1000,
  eventStreams: 100,
  concurrentUploads: 5,
  storageBytes: 21_474_836_480,
  databaseBytes: 21_474_836_480,
  importBytesPerDay: 1_073_741_824,
  keptDeployments: 20,
  channelsPerProject: 50,
  origins: 200,
  apiKeys: 100,
  projects: 100,
  domainsPerProject: 1000,
  webhookEndpoints: 20,
} as const satisfies Record<LimitName, number>;

const callerSchema = z
  .object({
    scopes: z.array(scopeSchema).readonly(),
    person: personSchema.nullable().describe('Null for an API key and its sessions.'),
  })
  .readonly()
  .meta({ id: 'Caller', description: 'The caller of this request, and what it may do.' });

const noticeSchema = z
  .object({
    code: z.enum(noticeCodes),
    at: instantSchema,
    message: z.string().describe('What happened and what to do.'),
    personId: z.uuid().nullable().describe('Whose keys; decide about them with removePerson. Null for a leaked key.'),
    apiKeys: someApiKeysSchema,
  })
  .readonly()
  .meta({ id: 'Notice', description: 'Something that owners have to know.' });

export type Notice = z.infer<typeof noticeSchema>;

/** The caller and the limits of the organization, so that a client can show them before a request is refused. */
export const organizationSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    plan: z.enum(plans),
    limits: z
      .object(limitSchemas)
      .readonly()
      .describe('The limits of the plan, unless the operator set individual limits for the organization.'),
    usage: z
      .object(usageSchemas)
      .readonly()
      .describe('Current usage of some limits. It may exceed the limit after a change of the plan.'),
    domainsEndAt: instantSchema
      .nullable()
      .describe(
        'When custom domains will be suspended because the plan no longer includes them; null if no suspension is planned.',
      ),
    caller: callerSchema,
    suspensions: suspensionsSchema.describe('Why the organization is suspended; empty if it is not.'),
    notices: z
      .array(noticeSchema)
      .readonly()
      .describe(
        'For callers with `owners:write`, empty for others: valid keys of people whose membership the identity provider ended, ' +
          'until somebody decides about them, and for seven days, keys that were reported as leaked. At most 40.',
      ),
  })
  .readonly()
  .meta({
    id: 'Organization',
    description: 'The organization of the key, with its limits and usage.',
    example: {
      id: '2d9c4a1e-8b3f-4f6d-a7c5-0e1f2a3b4c5d',
      name: 'Acme',
      plan: 'pro',
      limits: limitsExample,
      usage: {
        apiKeys: 3,
        projects: 2,
        domains: 5,
        domainsPerProject: 3,
        webhookEndpoints: 1,
        origins: 1,
        storageBytes: 1_310_720,
        databaseBytes: 2_621_440,
        importBytesPerDay: 0,
      },
      domainsEndAt: null,
      caller: { scopes: ['projects:read', 'projects:write'], person: null },
      suspensions: [],
      notices: [],
    },
  });

export type Organization = z.infer<typeof organizationSchema>;
