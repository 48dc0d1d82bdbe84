import { newOriginSchema, originSchema } from '../origins.js';
import { projectPathSchema } from '../projects.js';
import type { Operations } from './operation.js';

const common = {
  path: '/v1/projects/{projectId}/origin',
  tag: 'origins',
  stability: 'beta',
  params: projectPathSchema,
} as const;

export const originOperations = {
  getOrigin: {
    ...common,
    method: 'get',
    summary: 'Get the origin',
    description: 'Returns the application of the project, and what the last test of it found.',
    scope: 'projects:read',
    answers: { 200: { description: 'The origin.', schema: originSchema } },
    errors: ['not_found'],
  },
  putOrigin: {
    ...common,
    method: 'put',
    summary: 'Set the origin',
    description:
      'Sets the application of the project, or changes it. An edge tests it at once. The first test that passes puts it in ' +
      'the place of the deployment; from then on a change takes effect immediately, and requests that are under way end at ' +
      'the application that they began at.',
    scope: 'projects:write',
    body: { schema: newOriginSchema },
    answers: { 200: { description: 'The origin.', schema: originSchema } },
    errors: ['not_found'],
  },
  testOrigin: {
    ...common,
    method: 'post',
    path: '/v1/projects/{projectId}/origin/test',
    summary: 'Test the origin',
    description: 'An edge asks the application for `/` and reports what it got, within some seconds.',
    scope: 'projects:write',
    answers: { 202: { description: 'The test has begun.', schema: originSchema } },
    errors: ['not_found'],
  },
  deleteOrigin: {
    ...common,
    method: 'delete',
    summary: 'Remove the origin',
    description:
      'From now on the project serves its deployment. Without a deployment, visitors get a page that says that nothing is ' +
      'published.',
    scope: 'projects:write',
    answers: { 204: { description: 'The project has no origin.' } },
    errors: ['not_found'],
  },
} as const satisfies Operations;
