import { z } from 'zod';
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

const pageOfHistory = { schema: z.array(domainHistoryEntrySchema), headers: ['Link'] } as const;

export const domainOperations = {
  listDomains: {
    ...common,
    method: 'get',
    path: '/v1/projects/{projectId}/domains',
    summary: 'List domains',
    description: 'All domains of the project, in order of their addition, without removed ones.',
    scope: 'domains:read',
    params: projectPathSchema,
    answers: { 200: { description: 'The domains.', schema: z.array(domainSchema) } },
    errors: ['not_found'],
  },
  addDomain: {
    ...common,
    method: 'post',
    path: '/v1/projects/{projectId}/domains',
    summary: 'Add a domain',
    description:
      'Answers which DNS records to create; from then on it is polled. A name that others are after is taken all the ' +
      'same, with an issue that says so; one that another organization holds moves here once the TXT record proves whose ' +
      'it is. With `pair` its twin is added as well: `pairedWith` has its id.',
    scope: 'domains:write',
    params: projectPathSchema,
    body: { schema: newDomainSchema },
    answers: { 201: { description: 'The domain, awaiting its DNS.', schema: domainSchema, headers: ['Location'] } },
    errors: [
      'not_found',
      'invalid_domain',
      'wildcard_not_supported',
      'name_blocked',
      'plan_required',
      'domain_limit_reached',
      'deployment_required',
      'domain_exists',
    ],
  },
  getDomain: {
    ...one,
    method: 'get',
    summary: 'Get a domain',
    description: 'Everything in one read: what to create, what was seen, and what stands in the way.',
    scope: 'domains:read',
    answers: { 200: { description: 'The domain.', schema: domainSchema } },
    errors: ['not_found'],
  },
  removeDomain: {
    ...one,
    method: 'delete',
    summary: 'Remove a domain',
    description: 'From any state. Repeating it asks again whether all edges have stopped.',
    scope: 'domains:write',
    answers: {
      202: { description: 'Removed, but `pendingEdges` have not answered yet.', schema: domainSchema },
      204: { description: 'Removed: no edge serves it any more.' },
    },
    errors: ['not_found'],
  },
  listDomainEvents: {
    ...one,
    method: 'get',
    path: '/v1/projects/{projectId}/domains/{domain}/events',
    summary: 'Read a domain’s history',
    description: 'What happened to it, by whom and why, in order. As long as there is more, `Link` says where.',
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
      'That of all its domains, removed ones too, in one order. As long as there is more, `Link` says where. To a client ' +
      'that accepts `text/event-stream` it is told as it happens: `ready` says after which line the stream goes on, ' +
      '`history` is a line, with its number as id, and `changed` hints that a domain is to be read again though its ' +
      'history says nothing of it. `Last-Event-ID` resumes without gaps or repeats (`0`: from the first line); without it ' +
      'the stream begins with what happens from now on. A quiet stream has a comment every 15 seconds. It ends with its ' +
      'key, and when the server stops or its reader does not keep up: then open it again.',
    scope: 'domains:read',
    params: projectPathSchema,
    query: listHistoryQuerySchema,
    answers: {
      200: {
        ...pageOfHistory,
        description: 'A page of the history, or the stream of it.',
        headers: ['Link', 'X-Accel-Buffering'],
        stream: streamExample,
      },
    },
    errors: ['not_found', 'invalid_cursor'],
  },
  verifyDomain: {
    ...one,
    method: 'post',
    path: '/v1/projects/{projectId}/domains/{domain}/verify',
    summary: 'Check a domain’s DNS now',
    description: 'Several clicks before the check runs make one check. Polling starts over.',
    scope: 'domains:write',
    answers: { 202: { description: 'The domain, about to be checked.', schema: domainSchema } },
    errors: ['not_found'],
  },
  reverifyDomain: {
    ...one,
    method: 'post',
    path: '/v1/projects/{projectId}/domains/{domain}/reverify',
    summary: 'Ask for the certificate anew',
    description: 'For a verified domain whose certificate has not come: after a failed attempt, or after half an hour.',
    scope: 'domains:write',
    answers: { 202: { description: 'The domain, at a fresh attempt.', schema: domainSchema } },
    errors: ['not_found', 'reverify_too_early'],
  },
} as const satisfies Operations;
