import { z } from 'zod';
import {
  channelChangeSchema,
  channelPathSchema,
  channelSchema,
  createdChannelLinkSchema,
  endedChannelLinksSchema,
  newChannelLinkSchema,
  removedChannelSchema,
} from '../channels.js';
import { organizationSchema } from '../organization.js';
import {
  domainConfigSchema,
  listProjectsQuerySchema,
  newProjectSchema,
  projectChangeSchema,
  projectPathSchema,
  projectSchema,
} from '../projects.js';
import type { Operations } from './operation.js';

const common = { tag: 'projects', stability: 'beta' } as const;

export const projectOperations = {
  getOrganization: {
    ...common,
    method: 'get',
    path: '/v1/organization',
    summary: 'Get the organization',
    description: 'Returns the organization of the calling key, with its plan, limits and usage.',
    scope: 'projects:read',
    answers: { 200: { description: 'The organization.', schema: organizationSchema } },
  },
  listProjects: {
    ...common,
    method: 'get',
    path: '/v1/projects',
    summary: 'List projects',
    description:
      'The projects of the organization, in order of creation unless `sort` is given. `Link` points to the next page.',
    scope: 'projects:read',
    query: listProjectsQuerySchema,
    answers: { 200: { description: 'A page of projects.', schema: z.array(projectSchema), headers: ['Link'] } },
    errors: ['invalid_cursor'],
  },
  createProject: {
    ...common,
    method: 'post',
    path: '/v1/projects',
    summary: 'Create a project',
    description: 'The project is served below the platform domain once it has a deployment.',
    scope: 'projects:write',
    body: { schema: newProjectSchema },
    answers: { 201: { description: 'The new project.', schema: projectSchema, headers: ['Location'] } },
    errors: ['already_exists', 'name_reserved', 'project_limit_reached'],
  },
  getProject: {
    ...common,
    method: 'get',
    path: '/v1/projects/{projectId}',
    summary: 'Get a project',
    description: 'Returns a project of the organization.',
    scope: 'projects:read',
    params: projectPathSchema,
    answers: { 200: { description: 'The project.', schema: projectSchema } },
    errors: ['not_found'],
  },
  updateProject: {
    ...common,
    method: 'patch',
    path: '/v1/projects/{projectId}',
    summary: 'Change a project',
    description: 'Absent fields keep their values. The change takes effect immediately.',
    scope: 'projects:write',
    params: projectPathSchema,
    body: { schema: projectChangeSchema },
    answers: { 200: { description: 'The project.', schema: projectSchema } },
    errors: ['not_found'],
  },
} as const satisfies Operations;

const ofConfiguration = {
  path: '/v1/projects/{projectId}/domain-config',
  tag: 'domain-config',
  stability: 'beta',
  params: projectPathSchema,
  isConditional: true,
} as const;

const configuration = { description: 'The configuration.', schema: domainConfigSchema, headers: ['ETag'] } as const;

export const domainConfigOperations = {
  getDomainConfig: {
    ...ofConfiguration,
    method: 'get',
    summary: 'Get the domain configuration',
    description: 'Returns the configuration as it was stored.',
    scope: 'domains:read',
    answers: {
      200: configuration,
      304: { description: 'The configuration still matches `If-None-Match`.', headers: ['ETag'] },
    },
    errors: ['not_found'],
  },
  putDomainConfig: {
    ...ofConfiguration,
    method: 'put',
    summary: 'Replace the domain configuration',
    description:
      'The configuration can contain only domains of the project; the target of a redirect can also be the host of the ' +
      'project below the platform domain. Visitors follow a chain of redirects in one step; the stored configuration keeps ' +
      'the chain. Send `If-Match` to avoid overwriting a concurrent change. The change takes effect immediately.',
    scope: 'domains:write',
    body: { schema: domainConfigSchema },
    answers: { 200: configuration },
    errors: ['not_found', 'redirect_cycle'],
  },
} as const satisfies Operations;

const ofChannels = { path: '/v1/projects/{projectId}/channels', tag: 'channels', stability: 'beta' } as const;
const links = {
  ...ofChannels,
  path: '/v1/projects/{projectId}/channels/{channel}/links',
  params: channelPathSchema,
} as const;
const one = { ...ofChannels, path: '/v1/projects/{projectId}/channels/{channel}', params: channelPathSchema } as const;

export const channelOperations = {
  listChannels: {
    ...ofChannels,
    method: 'get',
    summary: 'List channels',
    description: 'The channels of the project, by name: as many as `channelsPerProject` allows.',
    scope: 'projects:read',
    params: projectPathSchema,
    answers: { 200: { description: 'The channels.', schema: z.array(channelSchema) } },
    errors: ['not_found'],
  },
  getChannel: {
    ...one,
    method: 'get',
    summary: 'Get a channel',
    description: 'Returns a channel of the project.',
    scope: 'projects:read',
    answers: { 200: { description: 'The channel.', schema: channelSchema } },
    errors: ['not_found'],
  },
  putChannel: {
    ...one,
    method: 'put',
    summary: 'Serve a deployment on a channel',
    description:
      'Creates the channel or changes what it serves and who may read it, immediately, and renews it for 30 days. A new ' +
      'channel is public without `access`. Links from before are not valid in a channel that becomes protected again. The ' +
      'active deployment of the project stays the same. Name and slug have at most 63 characters together, with the two hyphens between.',
    scope: 'projects:write',
    body: { schema: channelChangeSchema },
    answers: {
      200: { description: 'The channel.', schema: channelSchema },
      201: { description: 'The new channel.', schema: channelSchema },
    },
    errors: ['not_found', 'name_reserved', 'deployment_collected', 'channel_limit_reached'],
  },
  removeChannel: {
    ...one,
    method: 'delete',
    summary: 'Remove a channel',
    description:
      'Refused while domains serve it. Repeat the request to check whether all edges have stopped serving the channel. Its ' +
      'deployment is kept as long as other earlier ones.',
    scope: 'projects:write',
    answers: {
      202: { description: 'Removed, but `pendingEdges` may still serve it.', schema: removedChannelSchema },
      204: { description: 'Removed, and no longer served by any edge.' },
    },
    errors: ['not_found', 'conflict'],
  },
  createChannelLink: {
    ...links,
    method: 'post',
    summary: 'Create a link of a protected channel',
    description:
      'Returns a link that opens the channel in a browser, for whomever you send it to, without an account. It is stored ' +
      'nowhere, so it is shown only once. Programs send its token as the cookie `__Host-preview`. Refused for a public channel.',
    scope: 'projects:write',
    body: { schema: newChannelLinkSchema },
    answers: { 201: { description: 'The link.', schema: createdChannelLinkSchema } },
    errors: ['not_found', 'conflict'],
  },
  endChannelLinks: {
    ...links,
    method: 'delete',
    summary: 'End all links of a protected channel',
    description:
      'Visitors who came by one get 401 at their next request. Links that are created afterwards are valid. Refused for a ' +
      'public channel.',
    scope: 'projects:write',
    isAllowedWhileSuspended: true,
    answers: {
      202: { description: 'Ended, but `pendingEdges` may still accept them.', schema: endedChannelLinksSchema },
      204: { description: 'Ended, and no longer accepted by any edge.' },
    },
    errors: ['not_found', 'conflict'],
  },
} as const satisfies Operations;
