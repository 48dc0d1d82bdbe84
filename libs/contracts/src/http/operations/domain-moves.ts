import { domainMoveSchema } from '../domain-moves.js';
import { domainPathSchema, domainSchema } from '../domains.js';
import type { Operations } from './operation.js';

export const domainMoveOperations = {
  moveDomain: {
    method: 'post',
    path: '/v1/projects/{projectId}/domains/{domain}/move',
    tag: 'domains',
    stability: 'beta',
    params: domainPathSchema,
    summary: 'Move a domain to another project',
    description:
      'Moves the domain to another project of the organization, in one step: visitors get the site of the other project, ' +
      'without a failed request. The DNS records, the certificate, the id and the history of the domain stay; no ' +
      'certificate is ordered. The other project needs a deployment and room within its limit of domains, and neither the ' +
      'domain nor the other project can be suspended. A move to the project that has the domain changes nothing.',
    scope: 'domains:write',
    body: { schema: domainMoveSchema },
    answers: { 200: { description: 'The domain, in the other project.', schema: domainSchema } },
    errors: ['not_found', 'name_blocked', 'plan_required', 'domain_limit_reached', 'deployment_required', 'conflict'],
  },
} as const satisfies Operations;
