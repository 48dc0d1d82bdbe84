import { z } from 'zod';
import { plans, type Plan } from '../closed-sets.js';

/** How many domains of its own a project can have by the plan of its organization. None: the plan does not include them. */
export const domainsPerProject = { free: 0, pro: 50, enterprise: 50 } as const satisfies Record<Plan, number>;

/** Who asks, and what the plan allows: so that a client can say it before anything is refused. */
export const organizationSchema = z
  .object({
    id: z.uuid(),
    name: z.string(),
    plan: z.enum(plans),
    limits: z
      .object({
        domainsPerProject: z
          .int()
          .min(0)
          .describe(
            'How many domains a project can have; 0: the plan does not include custom domains. It stops adding alone: ' +
              'domains that are there already stay.',
          ),
      })
      .readonly(),
  })
  .readonly()
  .meta({
    id: 'Organization',
    description: 'The organization that a key belongs to, and what its plan allows.',
    example: {
      id: '2d9c4a1e-8b3f-4f6d-a7c5-0e1f2a3b4c5d',
      name: 'Acme',
      plan: 'pro',
      limits: { domainsPerProject: domainsPerProject.pro },
    },
  });

export type Organization = z.infer<typeof organizationSchema>;
