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
    description: 'The organization of the key that asks: its plan, and what that allows.',
    scope: 'projects:read',
    answers: { 200: { description: 'The organization.', schema: organizationSchema } },
  },
  listProjects: {
    ...common,
    method: 'get',
    path: '/v1/projects',
    summary: 'List projects',
    description: 'The projects of the organization, in order of creation. As long as there is more, `Link` says where.',
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
    description: 'It is served below the platform’s domain as soon as it has a deployment.',
    scope: 'projects:write',
    body: { schema: newProjectSchema },
    answers: { 201: { description: 'The project.', schema: projectSchema, headers: ['Location'] } },
    errors: ['already_exists', 'name_reserved', 'project_limit_reached'],
  },
  getProject: {
    ...common,
    method: 'get',
    path: '/v1/projects/{projectId}',
    summary: 'Get a project',
    description: 'One project of the organization.',
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
    description: 'Fields that are left out stay as they are. The edges get it at once.',
    scope: 'projects:write',
    params: projectPathSchema,
    body: { schema: projectChangeSchema },
    answers: { 200: { description: 'The project.', schema: projectSchema } },
    errors: ['not_found'],
  },
} as const satisfies Operations;
