import { domainConfigSchema } from '../domain-config.js';
import { projectPathSchema } from '../projects.js';
import type { Operations } from './operation.js';

const common = {
  path: '/v1/projects/{projectId}/domain-config',
  tag: 'domain-config',
  stability: 'beta',
  params: projectPathSchema,
} as const;

export const domainConfigOperations = {
  getDomainConfig: {
    ...common,
    method: 'get',
    summary: 'Get the domain configuration',
    description: 'As it was put.',
    scope: 'domains:read',
    answers: { 200: { description: 'The configuration.', schema: domainConfigSchema } },
    errors: ['not_found'],
  },
  putDomainConfig: {
    ...common,
    method: 'put',
    summary: 'Replace the domain configuration',
    description: 'Names only domains of the project. The edges get it with the same commit.',
    scope: 'domains:write',
    body: { schema: domainConfigSchema },
    answers: { 200: { description: 'The configuration.', schema: domainConfigSchema } },
    errors: ['not_found', 'redirect_cycle'],
  },
} as const satisfies Operations;
