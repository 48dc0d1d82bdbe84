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
