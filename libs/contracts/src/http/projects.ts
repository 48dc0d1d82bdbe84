import { z } from 'zod';
import { redirectStatuses, trailingSlashes } from '../enums.js';
import { creationSortSchema, optionalPageParameters, searchSchema } from './page.js';
import { instantSchema, textSchema } from './scalars.js';
import { suspensionsSchema } from './suspensions.js';

const name = textSchema(100).describe('1 to 100 characters.');

/** Body of createProject. The slug is the label under the platform domain: `<slug>.<platform domain>`. */
export const newProjectSchema = z
  .strictObject({
    name,
    slug: z
      .string()
      .regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, { error: 'must be a lower-case host name label' })
      .refine((slug) => !slug.includes('--'), { error: 'must not contain two hyphens in a row' })
      .describe(
        'The label of the project below the platform domain. It must be unique, without two hyphens in a row, and not ' +
          'reserved by the platform, such as `www`, `login` or `mta-sts`.',
      ),
  })
  .meta({ id: 'NewProject', description: 'A project to create.', example: { name: 'Acme docs', slug: 'acme-docs' } });

export type NewProject = z.infer<typeof newProjectSchema>;

/** RFC 6797 §6.1, in seconds: two years, which is what browsers' lists ask for at most. */
const MAX_HSTS_AGE = 63_072_000;

/** The least that browsers' preload lists take. */
const PRELOAD_AGE = 31_536_000;

/** The Strict-Transport-Security header of a project's domains. */
const hstsSchema = z
  .strictObject({
    maxAge: z
      .int()
      .min(0)
      .max(MAX_HSTS_AGE)
      .meta({
        description: 'How long browsers use only HTTPS, in seconds. 0 makes browsers forget the policy.',
        wire: { type: 'integer', format: 'int32', minimum: 0, maximum: MAX_HSTS_AGE },
      }),
    includeSubDomains: z
      .boolean()
      .default(false)
      .describe('Whether the policy applies to all names below the domain as well, wherever they are served.'),
    preload: z
      .boolean()
      .default(false)
      .describe(
        `Whether browsers may include the domain in their preload lists. Requires includeSubDomains and a maxAge of at least ${PRELOAD_AGE}.`,
      ),
  })
  // Browsers' preload lists refuse other combinations.
  .refine(({ maxAge, includeSubDomains, preload }) => !preload || (includeSubDomains && maxAge >= PRELOAD_AGE), {
    path: ['preload'],
    error: `preload requires includeSubDomains and a maxAge of at least ${PRELOAD_AGE}`,
  })
  .readonly()
  .meta({
    id: 'Hsts',
    description: 'Strict-Transport-Security (RFC 6797), as the edges send it over TLS for the domains of the project.',
    example: { maxAge: PRELOAD_AGE, includeSubDomains: true, preload: false },
  });

export type Hsts = z.infer<typeof hstsSchema>;

const trailingSlashSchema = z.enum(trailingSlashes).meta({
  description:
    'Whether the addresses of pages end in a slash; the other form redirects. `auto`: those of folders do (`/docs/` for ' +
    '`docs/index.html`), those of files do not (`/about` for `about.html`).',
});

/** Body of updateProject: what is left out stays as it is. */
export const projectChangeSchema = z
  .strictObject({
    name: name.optional(),
    hsts: hstsSchema
      .nullable()
      .optional()
      .describe(
        'Null: the header is no longer sent, and browsers apply the last policy until it expires. A `maxAge` of 0 makes browsers forget it.',
      ),
    trailingSlash: trailingSlashSchema.optional(),
  })
  .meta({
    id: 'ProjectChange',
    description: 'Changes to a project.',
    example: { hsts: { maxAge: PRELOAD_AGE, includeSubDomains: true, preload: false } },
  });

export type ProjectChange = z.infer<typeof projectChangeSchema>;

export const projectExample = {
  id: '0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f',
  name: 'Acme docs',
  slug: 'acme-docs',
  url: 'https://docs.example.com',
  platformUrl: 'https://acme-docs.pets.example',
  hsts: null,
  trailingSlash: 'auto',
  suspensions: [],
  createdAt: '2026-11-02T09:00:00.000Z',
};

export const projectSchema = z
  .object({
    id: z.uuid(),
    name,
    slug: z.string(),
    url: z.url().describe('The URL of the site: its primary domain while that is live, else its `platformUrl`.'),
    platformUrl: z.url().describe('The URL below the platform domain: `https://<slug>.<platform domain>`.'),
    hsts: hstsSchema.nullable().describe('Null: no Strict-Transport-Security header is sent.'),
    trailingSlash: trailingSlashSchema,
    suspensions: suspensionsSchema.describe(
      'Why visitors of the `platformUrl` get 410; empty unless the project or its organization is suspended.',
    ),
    createdAt: instantSchema,
  })
  .readonly()
  .meta({
    id: 'Project',
    description: 'A site and the domains that serve it.',
    example: projectExample,
  });

export type Project = z.infer<typeof projectSchema>;

/** Query of listProjects. */
export const listProjectsQuerySchema = z.strictObject({
  ...optionalPageParameters,
  q: searchSchema('Return only projects whose name or slug contains this text, without regard to case.'),
  sort: creationSortSchema,
});

export type ListProjectsQuery = z.infer<typeof listProjectsQuerySchema>;

/** Path of a project. An id that is not a UUID is answered as not found. */
export const projectPathSchema = z.strictObject({
  projectId: z.uuid().meta({ description: 'The id of the project.', example: projectExample.id }),
});

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
