import { z } from 'zod';
import {
  domainConfigSchema,
  listProjectsQuerySchema,
  newProjectSchema,
  projectChangeSchema,
  projectPathSchema,
  projectSchema,
} from '../projects.js';
import { organizationSchema } from '../organization.js';
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
