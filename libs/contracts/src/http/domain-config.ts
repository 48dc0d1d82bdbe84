import { z } from 'zod';
import { redirectStatuses } from '../enums.js';

const hostName = z.string().min(1).max(253);

const redirectSchema = z
  .strictObject({
    from: hostName.describe('A domain of the project.'),
    to: hostName.describe('Another domain of the project, or the host of the project below the platform domain.'),
    status: z.literal([...redirectStatuses]).meta({
      description: 'The HTTP status of the redirect.',
      wire: { type: 'integer', format: 'int32', enum: redirectStatuses },
    }),
  })
  .meta({ id: 'Redirect', description: 'Redirects the visitors of one domain to another, keeping path and query.' });

/** Redirects of a project. The configuration is one document, read and written as a whole. */
export const MAX_REDIRECTS = 100;

/** Multi-domain configuration in the format of the specification, with optional additions. */
export const domainConfigSchema = z
  .strictObject({
    domains: z.strictObject({
      primary: hostName
        .describe('The main domain of the project. It becomes the `url` of the project once visitors can use it.')
        .optional(),
      redirects: z.array(redirectSchema).max(MAX_REDIRECTS).default([]),
    }),
    platformRedirect: z
      .boolean()
      .describe(
        'Whether the host of the project below the platform domain redirects to the primary domain with 308. While the ' +
          'primary domain is not available, it serves the site. Requires `domains.primary`.',
      )
      .optional(),
  })
  .meta({
    id: 'DomainConfig',
    description: 'The primary domain and the redirects of a project.',
    example: {
      domains: {
        primary: 'docs.example.com',
        redirects: [{ from: 'www.example.com', to: 'docs.example.com', status: 301 }],
      },
    },
  });

export type DomainConfig = z.infer<typeof domainConfigSchema>;
