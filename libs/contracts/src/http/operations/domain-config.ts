import { domainConfigSchema } from '../domain-config.js';
import { projectPathSchema } from '../projects.js';
import type { Operations } from './operation.js';

const common = {
  path: '/v1/projects/{projectId}/domain-config',
  tag: 'domain-config',
  stability: 'beta',
  params: projectPathSchema,
  isConditional: true,
} as const;

const configuration = { description: 'The configuration.', schema: domainConfigSchema, headers: ['ETag'] } as const;

export const domainConfigOperations = {
  getDomainConfig: {
    ...common,
    method: 'get',
    summary: 'Get the domain configuration',
    description: 'As it was put.',
    scope: 'domains:read',
    answers: {
      200: configuration,
      304: { description: 'It is the one that `If-None-Match` names.', headers: ['ETag'] },
    },
    errors: ['not_found'],
  },
  putDomainConfig: {
    ...common,
    method: 'put',
    summary: 'Replace the domain configuration',
    description:
      'Names only domains of the project, in whatever form they are written, and as the target of a redirect its host ' +
      'below the platform’s domain. Chains of redirects are collapsed for ' +
      'visitors, not in what is kept. With `If-Match` nobody’s change is overwritten unseen. The edges get it at once.',
    scope: 'domains:write',
    body: { schema: domainConfigSchema },
    answers: { 200: configuration },
    errors: ['not_found', 'redirect_cycle'],
  },
} as const satisfies Operations;
