import { z } from 'zod';
import { instantSchema } from './scalars.js';

const DAY_SECONDS = 24 * 60 * 60;

/** Readers of a channel: everybody, or only visitors with a link. */
export const channelAccesses = ['public', 'link'] as const;
export type ChannelAccess = (typeof channelAccesses)[number];

export const channelAccessSchema = z.enum(channelAccesses).meta({
  description:
    '`public`: everybody may read it. `link`: it is protected, and opens only with a link (createChannelLink), at all its ' +
    'addresses; visitors without one get 401.',
});

/** Body of createChannelLink. */
export const newChannelLinkSchema = z
  .strictObject({
    expiresIn: z
      .int()
      .min(60)
      .max(30 * DAY_SECONDS)
      .default(7 * DAY_SECONDS)
      .describe('Seconds until the link ends.'),
  })
  .meta({ id: 'NewChannelLink', description: 'A link to create.', example: { expiresIn: 7 * DAY_SECONDS } });

export type NewChannelLink = z.infer<typeof newChannelLinkSchema>;

export const createdChannelLinkSchema = z
  .object({
    url: z
      .url()
      .describe(
        'The link, which is shown only once. Its query opens every path, also at the domains that serve the channel.',
      ),
    expiresAt: instantSchema.describe(
      'When the link ends. It ends earlier with its channel, or when all links are ended.',
    ),
  })
  .readonly()
  .meta({
    id: 'CreatedChannelLink',
    description: 'A link that opens a protected channel.',
    example: {
      url:
        'https://pr-12--acme-docs.pets.example/?__preview=1794992400.' +
        'pkW2fO7UjVqzJ0m9yR1c4vXh8sTgD5aLbN3eQwKxYtZuHn6iCoEoPrSd_lM-AFyGBvIjU7XkRm2Wq0T9hLc5Dg',
      expiresAt: '2026-11-18T09:00:00.000Z',
    },
  });

export type CreatedChannelLink = z.infer<typeof createdChannelLinkSchema>;

export const endedChannelLinksSchema = z
  .object({ pendingEdges: z.int().min(1).describe('How many edges may still accept links from before.') })
  .readonly()
  .meta({
    id: 'EndedChannelLinks',
    description: 'Ended links of a channel that some edges may still accept.',
    example: { pendingEdges: 1 },
  });

export type EndedChannelLinks = z.infer<typeof endedChannelLinksSchema>;
