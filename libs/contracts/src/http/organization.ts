import { z } from 'zod';
import { plans, type LimitName } from '../enums.js';
import { instantSchema } from './instant.js';
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
    .describe('Requests a minute, of all keys and sessions together. Null: not limited.'),
  eventStreams: amount('Event streams open at once on one server, of all keys and sessions together.'),
  concurrentUploads: amount('Deployments being uploaded at once.'),
  storageBytes: storedBytes('Bytes stored for deployments.'),
  keptDeployments: amount('Deployments kept of each project: those that were uploaded or activated last.'),
  apiKeys: amount('API keys that are neither revoked nor expired.'),
  projects: amount('Projects.'),
  domainsPerProject: amount('Domains of each project; 0: the plan does not include custom domains.'),
  webhookEndpoints: amount('Webhook endpoints.'),
} as const satisfies Record<LimitName, z.ZodType>;

const usageSchemas = {
  apiKeys: amount('API keys that are neither revoked nor expired.'),
  projects: amount('Projects.'),
  webhookEndpoints: amount('Webhook endpoints.'),
  storageBytes: storedBytes('Bytes stored, each file once; also of deployments that are not kept, for about a day.'),
} as const satisfies Partial<Record<LimitName, z.ZodType>>;

const limitsExample = {
  requestsPerMinute: 1000,
  eventStreams: 100,
  concurrentUploads: 5,
  storageBytes: 21_474_836_480,
  keptDeployments: 20,
  apiKeys: 100,
  projects: 100,
  domainsPerProject: 50,
  webhookEndpoints: 20,
} as const satisfies Record<LimitName, number>;

/** Who asks, and what the organization may have: so that a client can say it before anything is refused. */
export const organizationSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    plan: z.enum(plans),
    limits: z
      .object(limitSchemas)
      .readonly()
      .describe('By the plan, unless the operator gave the organization limits of its own.'),
    usage: z
      .object(usageSchemas)
      .readonly()
      .describe('How much of some limits is used now. It may be more than the limit after a change of the plan.'),
    domainsEndAt: instantSchema
      .nullable()
      .describe(
        'When custom domains are suspended, since the plan no longer includes them; null unless that is ahead.',
      ),
    suspensions: suspensionsSchema.describe('Why the organization is suspended; empty unless it is.'),
  })
  .readonly()
  .meta({
    id: 'Organization',
    description: 'The organization that a key belongs to, what it may have, and what it has.',
    example: {
      id: '2d9c4a1e-8b3f-4f6d-a7c5-0e1f2a3b4c5d',
      name: 'Acme',
      plan: 'pro',
      limits: limitsExample,
      usage: { apiKeys: 3, projects: 2, webhookEndpoints: 1, storageBytes: 1_310_720 },
      domainsEndAt: null,
      suspensions: [],
    },
  });

export type Organization = z.infer<typeof organizationSchema>;
