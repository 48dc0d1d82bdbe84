import { z } from 'zod';

/** What a move does about entries of the domain configuration that refer to the domain. */
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
