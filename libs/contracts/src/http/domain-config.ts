import { z } from 'zod';
import { redirectStatuses } from '../closed-sets.js';

const hostName = z.string().min(1).max(253);

const redirectSchema = z.strictObject({
  from: hostName,
  to: hostName,
  status: z.literal([...redirectStatuses]),
});

/** Multi-domain configuration, in exactly the specification's shape. */
export const domainConfigSchema = z.strictObject({
  domains: z.strictObject({
    primary: hostName.optional(),
    redirects: z.array(redirectSchema).max(100).default([]),
  }),
});

export type DomainConfig = z.infer<typeof domainConfigSchema>;
