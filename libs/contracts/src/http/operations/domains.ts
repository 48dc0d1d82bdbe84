import { z } from 'zod';
import {
  addedDomainsSchema,
  domainBatchRemovalSchema,
  MAX_BATCH_BYTES,
  newDomainBatchSchema,
  removedDomainsSchema,
} from '../domain-batches.js';
import { domainMoveSchema, exclusionPathSchema, removeDomainQuerySchema } from '../domain-changes.js';
import { domainChangeSchema } from '../domain-labels.js';
import { domainCountsSchema, findDomainsQuerySchema, listDomainsQuerySchema } from '../domain-lists.js';
import {
  domainHistoryEntrySchema,
  domainPathSchema,
  domainSchema,
  listHistoryQuerySchema,
  newDomainSchema,
  streamExample,
} from '../domains.js';
import { projectPathSchema } from '../projects.js';
import type { Operations } from './operation.js';

const common = { tag: 'domains', stability: 'beta' } as const;
const one = { ...common, path: '/v1/projects/{projectId}/domains/{domain}', params: domainPathSchema } as const;

/** Description of lists whose filters have no index; see `keyset.ts` of pets-api. */
const shortPages =
  '`Link` points to the next page. With filters, a page may have fewer entries than its limit, or none, and still have a `Link`.';

const pageOfDomains = { schema: z.array(domainSchema), headers: ['Link'] } as const;

const pageOfHistory = { schema: z.array(domainHistoryEntrySchema), headers: ['Link'] } as const;

export const domainOperations = {
  listDomains: {
    ...common,
    method: 'get',
    path: '/v1/projects/{projectId}/domains',
    summary: 'List domains',
    description:
      'The domains of the project, without removed domains, in the order in which they were added unless `sort` is given. ' +
      shortPages,
    scope: 'domains:read',
    params: projectPathSchema,
    query: listDomainsQuerySchema,
    answers: { 200: { ...pageOfDomains, description: 'A page of domains.' } },
    errors: ['not_found', 'invalid_cursor'],
  },
  findDomains: {
    ...common,
    method: 'get',
    path: '/v1/domains',
    summary: 'Find domains of all projects',
    description: `The domains of the organization, without removed domains, in the order of their names. ${shortPages}`,
    scope: 'domains:read',
    query: findDomainsQuerySchema,
    answers: { 200: { ...pageOfDomains, description: 'A page of domains.' } },
    errors: ['invalid_cursor'],
  },
  countDomains: {
    ...common,
    method: 'get',
    path: '/v1/projects/{projectId}/domain-counts',
    summary: 'Count domains',
    description: 'How many domains the project has, by state. It costs the same for any number of domains.',
    scope: 'domains:read',
    params: projectPathSchema,
    answers: { 200: { description: 'The numbers.', schema: domainCountsSchema } },
    errors: ['not_found'],
  },
  addDomain: {
    ...common,
    method: 'post',
    path: '/v1/projects/{projectId}/domains',
    summary: 'Add a domain',
    description:
      'Returns the DNS records to create. From then on, we check DNS automatically. A name that another organization uses ' +
      'can be added too: it has an issue, and moves here once the TXT record proves ownership. With `pair`, the ' +
      'counterpart is added as well, and `pairedWith` contains its id. A name has at most 253 characters; of an apex 233, and ' +
      'of a wildcard 237 after `*.`, so that there is room for the label of a record that it needs. A subdomain with more than ' +
      '233 characters can only be verified by its CNAME: flattened, it would need a TXT record for which there is no room.',
    scope: 'domains:write',
    params: projectPathSchema,
    body: { schema: newDomainSchema },
    answers: {
      201: { description: 'The new domain with the records to create.', schema: domainSchema, headers: ['Location'] },
    },
    errors: [
      'not_found',
      'invalid_domain',
      'name_blocked',
      'plan_required',
      'domain_limit_reached',
      'storage_limit_reached',
      'deployment_required',
      'domain_exists',
      'wildcard_needs_dns_challenge',
    ],
  },
  addDomains: {
    ...common,
    method: 'post',
    path: '/v1/projects/{projectId}/domains:batch',
    summary: 'Add many domains',
    description:
      'Adds up to 1 000 names, each as adding it alone would, and returns a result for each. A refused name does not ' +
      'prevent the others. Sending a batch again changes nothing: its names exist. A batch counts as one request for ' +
      'each ten names. The body may have 1 MiB. DNS of more than ten names is checked every ten minutes; a request to verify ' +
      'one makes its checks frequent.',
    scope: 'domains:write',
    params: projectPathSchema,
    body: { schema: newDomainBatchSchema, maxBytes: MAX_BATCH_BYTES },
    answers: { 200: { description: 'A result for each name.', schema: addedDomainsSchema } },
    errors: ['not_found', 'plan_required', 'deployment_required'],
  },
  removeDomains: {
    ...common,
    method: 'post',
    path: '/v1/projects/{projectId}/domains:batchRemove',
    summary: 'Remove many domains',
    description:
      'Removes up to 1 000 domains, each as removing it alone would, and returns a result for each. Waits up to a second ' +
      'for the edges. Repeat the request to check whether all edges have stopped serving the domains. A batch counts as ' +
      'one request for each ten names. The body may have 1 MiB.',
    scope: 'domains:write',
    params: projectPathSchema,
    body: { schema: domainBatchRemovalSchema, maxBytes: MAX_BATCH_BYTES },
    answers: { 200: { description: 'A result for each domain.', schema: removedDomainsSchema } },
    errors: ['not_found'],
  },
  getDomain: {
    ...one,
    method: 'get',
    summary: 'Get a domain',
    description: 'Returns the complete status: the records to create, the result of the last check, and the issues.',
    scope: 'domains:read',
    answers: { 200: { description: 'The domain.', schema: domainSchema } },
    errors: ['not_found'],
  },
  updateDomain: {
    ...one,
    method: 'patch',
    summary: 'Change a domain',
    description:
      'Changes what you store with the domain, to find it again, or the channel that it serves, which takes effect immediately.',
    scope: 'domains:write',
    body: { schema: domainChangeSchema },
    answers: { 200: { description: 'The changed domain.', schema: domainSchema } },
    errors: ['not_found'],
  },
  removeDomain: {
    ...one,
    method: 'delete',
    summary: 'Remove a domain',
    description:
      'Possible in every state. Repeat the request to check whether all edges have stopped serving the domain. A name that a ' +
      'wildcard of the organization covers is served by the wildcard afterwards, unless `exclude` is `true`.',
    scope: 'domains:write',
    query: removeDomainQuerySchema,
    answers: {
      200: { description: 'Removed. The wildcard `coveredBy` serves the name.', schema: domainSchema },
      202: { description: 'Removed, but `pendingEdges` may still serve it.', schema: domainSchema },
      204: { description: 'Removed, and no longer served by any edge.' },
    },
    errors: ['not_found', 'conflict', 'domain_limit_reached'],
  },
  liftExclusion: {
    ...common,
    method: 'delete',
    path: '/v1/projects/{projectId}/domains/{domain}/exclusions/{name}',
    summary: 'Lift an exclusion',
    description: 'The wildcard serves the name again, which was removed with `exclude`.',
    scope: 'domains:write',
    params: exclusionPathSchema,
    answers: { 204: { description: 'Lifted.' } },
    errors: ['not_found'],
  },
  listDomainEvents: {
    ...one,
    method: 'get',
    path: '/v1/projects/{projectId}/domains/{domain}/events',
    summary: 'Read a domain’s history',
    description: 'The events of the domain, in order, with their actors and reasons. `Link` points to the next page.',
    scope: 'domains:read',
    query: listHistoryQuerySchema,
    answers: { 200: { ...pageOfHistory, description: 'A page of the history.' } },
    errors: ['not_found', 'invalid_cursor'],
  },
  listProjectEvents: {
    ...common,
    method: 'get',
    path: '/v1/projects/{projectId}/events',
    summary: 'Read a project’s history',
    description:
      'The events of all domains of the project, including removed ones, in order. `Link` points to the next page. A client ' +
      'that accepts `text/event-stream` receives the events as they happen: `ready` contains the number of the last event ' +
      'before the stream, `history` is an event with its number as id, and `changed` means that the client should read the ' +
      'domain again although its history has no new event; `import` contains the id of an import that has advanced, ' +
      '`origin` that of an origin that was changed or tested, fails or is restored. `Last-Event-ID` resumes the stream without gaps or repeats ' +
      '(`0`: from the first event); without it, the stream starts with new events. An idle stream sends a comment every ' +
      '15 seconds. The stream ends when its key expires, when the server stops, or when the client reads too slowly: open ' +
      'it again.',
    scope: 'domains:read',
    params: projectPathSchema,
    query: listHistoryQuerySchema,
    answers: {
      200: {
        ...pageOfHistory,
        description: 'A page of the history, or the stream.',
        headers: ['Link', 'X-Accel-Buffering'],
        stream: streamExample,
        isResumable: true,
      },
    },
    errors: ['not_found', 'invalid_cursor'],
  },
  verifyDomain: {
    ...one,
    method: 'post',
    path: '/v1/projects/{projectId}/domains/{domain}/verify',
    summary: 'Check a domain’s DNS now',
    description:
      'Several requests before the check runs result in one check. The schedule of automatic checks starts again.',
    scope: 'domains:write',
    answers: { 202: { description: 'The domain with its scheduled check.', schema: domainSchema } },
    errors: ['not_found'],
  },
  watchDomain: {
    ...one,
    method: 'post',
    path: '/v1/projects/{projectId}/domains/{domain}/watch',
    summary: 'Check a domain’s DNS sooner while somebody looks at it',
    description:
      'Send it every ten seconds while a person looks at the domain. The next check then begins ten seconds after the last ' +
      'one began, however many send it; an organization has 30 such domains at a time, and others are checked every minute. ' +
      'The automatic schedule stays as it is, the audit log has no entry, and a suspended domain is not checked.',
    scope: 'domains:read',
    answers: { 200: { description: 'The domain with its next check.', schema: domainSchema } },
    errors: ['not_found'],
  },
  reverifyDomain: {
    ...one,
    method: 'post',
    path: '/v1/projects/{projectId}/domains/{domain}/reverify',
    summary: 'Retry certificate issuance',
    description:
      'For a verified domain without a certificate: after a failed attempt, or half an hour after verification.',
    scope: 'domains:write',
    answers: { 202: { description: 'The domain with its scheduled attempt.', schema: domainSchema } },
    errors: ['not_found', 'reverify_too_early'],
  },
} as const satisfies Operations;

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
