import { domainPathSchema } from '../domains.js';
import { newOriginSchema, originSchema } from '../origins.js';
import { projectPathSchema } from '../projects.js';
import type { Operations } from './operation.js';

const common = {
  path: '/v1/projects/{projectId}/origin',
  tag: 'origins',
  stability: 'beta',
  params: projectPathSchema,
} as const;

const ofDomain = {
  path: '/v1/projects/{projectId}/domains/{domain}/origin',
  tag: 'origins',
  stability: 'beta',
  params: domainPathSchema,
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
    errors: ['not_found', 'origin_limit_reached'],
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
  getDomainOrigin: {
    ...ofDomain,
    method: 'get',
    summary: 'Get the origin of a domain',
    description: 'Returns the application that is this domain’s own, and what the last test of it found.',
    scope: 'domains:read',
    answers: { 200: { description: 'The origin.', schema: originSchema } },
    errors: ['not_found'],
  },
  putDomainOrigin: {
    ...ofDomain,
    method: 'put',
    summary: 'Set the origin of a domain',
    description:
      'Sets the application of this domain, of a wildcard for all names that it serves. An edge tests it at once. The first ' +
      'test that passes puts it in the place of what the domain served before: its channel, or the origin or deployment of the ' +
      'project. A redirect of the domain still comes first. The domain takes it along to another project of the organization, ' +
      'and it ends with the domain.',
    scope: 'domains:write',
    body: { schema: newOriginSchema },
    answers: { 200: { description: 'The origin.', schema: originSchema } },
    errors: ['not_found', 'origin_limit_reached'],
  },
  testDomainOrigin: {
    ...ofDomain,
    method: 'post',
    path: '/v1/projects/{projectId}/domains/{domain}/origin/test',
    summary: 'Test the origin of a domain',
    description: 'An edge asks the application for `/` and reports what it got, within some seconds.',
    scope: 'domains:write',
    answers: { 202: { description: 'The test has begun.', schema: originSchema } },
    errors: ['not_found'],
  },
  deleteDomainOrigin: {
    ...ofDomain,
    method: 'delete',
    summary: 'Remove the origin of a domain',
    description: 'From now on the domain serves its channel, or what its project serves.',
    scope: 'domains:write',
    answers: { 204: { description: 'The domain has no origin of its own.' } },
    errors: ['not_found'],
  },
} as const satisfies Operations;
