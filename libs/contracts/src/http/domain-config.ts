import { z } from 'zod';
import { redirectStatuses } from '../enums.js';

const hostName = z.string().min(1).max(253);

const redirectSchema = z
  .strictObject({
    from: hostName.describe('A domain of the project.'),
    to: hostName.describe('Another one, or the platform’s own host of the project.'),
    status: z.literal([...redirectStatuses]).meta({
      description: 'The status that visitors get.',
      wire: { type: 'integer', format: 'int32', enum: redirectStatuses },
    }),
  })
  .meta({ id: 'Redirect', description: 'Sends the visitors of one domain to another, with path and query.' });

/** Multi-domain configuration in the specification's shape, and what may be said beside it. */
export const domainConfigSchema = z
  .strictObject({
    domains: z.strictObject({
      primary: hostName
        .describe('The domain that the project goes by: its `url`, as soon as visitors can use it.')
        .optional(),
      redirects: z.array(redirectSchema).max(100).default([]),
    }),
    platformRedirect: z
      .boolean()
      .describe(
        'Whether the platform’s own host of the project redirects to the primary domain, with 308. It serves the site ' +
          'while the primary domain cannot be visited. Needs `domains.primary`.',
      )
      .optional(),
  })
  .meta({
    id: 'DomainConfig',
    description: 'Which of a project’s domains is primary, and which redirect.',
    example: {
      domains: {
        primary: 'docs.example.com',
        redirects: [{ from: 'www.example.com', to: 'docs.example.com', status: 301 }],
      },
    },
  });

export type DomainConfig = z.infer<typeof domainConfigSchema>;
