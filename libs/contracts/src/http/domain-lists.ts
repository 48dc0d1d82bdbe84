import { z } from 'zod';
import { domainStates } from '../enums.js';
import { labelFilters } from './domain-labels.js';
import { flagSchema, optionalPageParameters, pageParameters } from './page.js';
import { textSchema } from './scalars.js';

/** RFC 1035 §2.3.4, with the dot that a name may end with. A name in Unicode is not longer than in ASCII. */
const MAX_NAME_LENGTH = 254;

/** @param description of what it does to the list */
function namePartSchema(description: string) {
  return z
    .string()
    .max(253)
    .regex(/^[A-Za-z0-9._*-]+$/, { error: 'must be a part of a host name in ASCII' })
    .transform((text) => text.toLowerCase())
    .meta({ description, wire: { type: 'string', maxLength: 253, pattern: '^[A-Za-z0-9._*-]+$' } })
    .optional();
}

const domainFilters = {
  ...labelFilters,
  state: z.enum(domainStates).exclude(['removed']).describe('Return only domains in this state.').optional(),
  misconfigured: flagSchema('Return only live domains whose DNS no longer points here, or only the others.'),
  q: namePartSchema(
    'Return only domains whose name begins with this text, in ASCII form: fast in a list of any length.',
  ),
  contains: namePartSchema(
    'Return only domains whose name contains this text, in ASCII form. A page reads at most 1 000 domains: it may have fewer entries ' +
      'than its limit, or none, and still a `Link`.',
  ),
  expiresBefore: z.iso
    .datetime({ offset: true })
    .describe('Return only domains whose certificate expires before this time.')
    .optional(),
};

/** Query of listDomains. */
export const listDomainsQuerySchema = z.strictObject({
  ...optionalPageParameters,
  ...domainFilters,
  sort: z
    .enum(['createdAt', '-createdAt', 'name', '-name'])
    .describe(
      'The order, with `-` descending: in which the domains were added, or of names, which is the default with `q`, `externalId` and `metadata`.',
    )
    .optional(),
});

export type ListDomainsQuery = z.infer<typeof listDomainsQuerySchema>;

/** Query of findDomains. */
export const findDomainsQuerySchema = z.strictObject({
  ...pageParameters,
  name: textSchema(MAX_NAME_LENGTH).describe('Return only the domain with this name, in ASCII or Unicode.').optional(),
  ...domainFilters,
});

export type FindDomainsQuery = z.infer<typeof findDomainsQuerySchema>;

const countSchema = z.int().min(0);

export const domainCountsSchema = z
  .object({
    total: countSchema.describe('Domains that are not removed.'),
    byState: z
      .object({ awaiting_dns: countSchema, verified: countSchema, live: countSchema })
      .readonly()
      .describe('These domains by state.'),
    misconfigured: countSchema.describe('Live domains whose DNS no longer points here.'),
  })
  .readonly()
  .meta({
    id: 'DomainCounts',
    description: 'How many domains a project has.',
    example: { total: 3, byState: { awaiting_dns: 1, verified: 0, live: 2 }, misconfigured: 0 },
  });

export type DomainCounts = z.infer<typeof domainCountsSchema>;
