import { z } from 'zod';
import { channelAccessSchema } from './channel-links.js';
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
