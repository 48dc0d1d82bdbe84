import { z } from 'zod';
import { domainPathSchema } from './domains.js';
import { flagSchema } from './page.js';

/** Names that one wildcard can exclude. */
export const MAX_EXCLUSIONS = 100;

/** Query of removeDomain. */
export const removeDomainQuerySchema = z.strictObject({
  exclude: flagSchema(
    'Whether the wildcard that covers the name stops serving it as well, until the name is added again or the exclusion is ' +
      `lifted. A wildcard can exclude ${MAX_EXCLUSIONS} names.`,
  ),
});

export type RemoveDomainQuery = z.infer<typeof removeDomainQuerySchema>;

/** Path of liftExclusion. */
export const exclusionPathSchema = z.strictObject({
  ...domainPathSchema.shape,
  name: z.string().meta({ description: 'The excluded name.', example: 'docs.example.com' }),
});

/** Effects of a move on entries of the domain configuration that refer to the domain. */
const movedRedirects = ['refuse', 'move'] as const;

/** Body of moveDomain. */
export const domainMoveSchema = z
  .strictObject({
    projectId: z.uuid().describe('The project to move the domain to, of the same organization.'),
    redirects: z
      .enum(movedRedirects)
      .default('refuse')
      .describe(
        'What to do if the domain configuration of the project refers to the domain. `refuse`: change nothing, and answer ' +
          '409 with the entries. `move`: move the redirects from and to the domain with it, and the domains that these ' +
          'connect. A redirect to the host of the project then leads to the host of the other project. A primary domain ' +
          'becomes that of the other project if that has none.',
      ),
  })
  .meta({
    id: 'DomainMove',
    description: 'A move of a domain to another project.',
    example: { projectId: '0198a5a4-2f4e-7b60-9c1d-5f0e8d3c2b1a', redirects: 'move' },
  });

export type DomainMove = z.infer<typeof domainMoveSchema>;
