import { z } from 'zod';
import { projectExample, projectPathSchema } from './projects.js';
import { instantSchema } from './scalars.js';

/** Names of bound domains that a channel lists. */
export const MAX_LISTED_NAMES = 20;

/** The name of a channel. It is too long for `xn`, which would make its address an internationalized name (RFC 5890). */
export const channelNameSchema = z
  .string()
  .min(3)
  .max(40)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, { error: 'must be lower-case letters and digits, with single hyphens between' });

/** Readers of a channel: everybody, or only visitors with a link. */
export const channelAccesses = ['public', 'link'] as const;
export type ChannelAccess = (typeof channelAccesses)[number];

const channelAccessSchema = z.enum(channelAccesses).meta({
  description:
    '`public`: everybody may read it. `link`: it is protected, and opens only with a link (createChannelLink), at all its ' +
    'addresses; visitors without one get 401.',
});

const example = {
  name: 'pr-12',
  projectId: projectExample.id,
  deploymentId: '5f0c2c5e-7d0e-4a53-8a45-0f5ad1a3f7c2',
  url: 'https://pr-12--acme-docs.pets.example',
  access: 'public',
  domains: [],
  createdAt: '2026-11-02T09:05:00.000Z',
  updatedAt: '2026-11-02T09:05:00.000Z',
  expiresAt: '2026-12-02T09:05:00.000Z',
};

export const channelSchema = z
  .object({
    name: channelNameSchema,
    projectId: z.uuid(),
    deploymentId: z.uuid().describe('The deployment that it serves.'),
    url: z.url().describe('Its address: `https://<channel>--<slug>.<platform domain>`. Search engines do not list it.'),
    access: channelAccessSchema,
    domains: z
      .array(z.string())
      .max(MAX_LISTED_NAMES)
      .readonly()
      .describe(`Domains that serve it instead of the active deployment: the first ${MAX_LISTED_NAMES}, by name.`),
    createdAt: instantSchema,
    updatedAt: instantSchema.describe('When it was last deployed to, changed or renewed.'),
    expiresAt: instantSchema
      .nullable()
      .describe(
        'When it ends: 30 days after it was last deployed to, changed or renewed. Null while a domain serves it.',
      ),
  })
  .readonly()
  .meta({
    id: 'Channel',
    description: 'An address of a project that serves one deployment, whichever is the active one.',
    example,
  });

export type Channel = z.infer<typeof channelSchema>;

/** Body of putChannel. */
export const channelChangeSchema = z
  .strictObject({
    deploymentId: z.uuid().optional().describe('The deployment to serve. If absent, it stays the same.'),
    access: channelAccessSchema.optional(),
  })
  .meta({
    id: 'ChannelChange',
    description: 'What a channel is to serve.',
    example: { deploymentId: example.deploymentId },
  });

export type ChannelChange = z.infer<typeof channelChangeSchema>;

export const removedChannelSchema = z
  .object({
    name: channelNameSchema,
    projectId: z.uuid(),
    pendingEdges: z.int().min(1).describe('How many edges may still serve it.'),
  })
  .readonly()
  .meta({
    id: 'RemovedChannel',
    description: 'A removed channel that some edges may still serve.',
    example: { name: 'pr-12', projectId: projectExample.id, pendingEdges: 1 },
  });

export type RemovedChannel = z.infer<typeof removedChannelSchema>;

/** Path of a channel. */
export const channelPathSchema = projectPathSchema.extend({
  channel: channelNameSchema.meta({ description: 'The name of the channel.', example: 'pr-12' }),
});

const DAY_SECONDS = 24 * 60 * 60;

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
