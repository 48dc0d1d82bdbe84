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
    description: 'Returns the configuration as it was stored.',
    scope: 'domains:read',
    answers: {
      200: configuration,
      304: { description: 'The configuration still matches `If-None-Match`.', headers: ['ETag'] },
    },
    errors: ['not_found'],
  },
  putDomainConfig: {
    ...common,
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
