import { z } from 'zod';
import { organizationSchema } from '../organization.js';
import {
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
