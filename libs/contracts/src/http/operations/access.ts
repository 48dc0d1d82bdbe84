import { z } from 'zod';
import {
  apiKeyPathSchema,
  apiKeySchema,
  createdApiKeySchema,
  createdSessionSchema,
  listApiKeysQuerySchema,
  newApiKeySchema,
} from '../api-keys.js';
import { auditEventSchema, listAuditEventsQuerySchema } from '../audit-events.js';
import type { Operations } from './operation.js';

export const accessOperations = {
  listApiKeys: {
    method: 'get',
    path: '/v1/api-keys',
    summary: 'List API keys',
    description:
      'In order of creation, revoked and expired ones too: those of the last 90 days, and the newest 1 000 at most. As long ' +
      'as there is more, `Link` says where.',
    tag: 'api-keys',
    scope: 'keys:read',
    query: listApiKeysQuerySchema,
    answers: { 200: { description: 'A page of keys.', schema: z.array(apiKeySchema), headers: ['Link'] } },
    errors: ['invalid_cursor'],
  },
  createApiKey: {
    method: 'post',
    path: '/v1/api-keys',
    summary: 'Make an API key',
    description: 'With scopes that the asking key has itself. The key is shown this once.',
    tag: 'api-keys',
    scope: 'keys:write',
    holder: 'api_key',
    body: { schema: newApiKeySchema },
    answers: { 201: { description: 'The key.', schema: createdApiKeySchema } },
    errors: ['api_key_limit_reached'],
  },
  revokeApiKey: {
    method: 'delete',
    path: '/v1/api-keys/{apiKeyId}',
    summary: 'Revoke an API key',
    description:
      'Within a second it is refused everywhere, and so are its sessions. A revoked key stays in the list for 90 days.',
    tag: 'api-keys',
    scope: 'keys:write',
    isAllowedWhileSuspended: true,
    params: apiKeyPathSchema,
    answers: { 204: { description: 'Revoked.' } },
    errors: ['not_found'],
  },
  listAuditEvents: {
    method: 'get',
    path: '/v1/audit-events',
    summary: 'List audit events',
    description:
      'What has been changed in the organization, by whom and from where, newest first: keys, sessions, projects, domains, ' +
      'webhooks, plans, and what the operator did. Kept for 400 days unless the operator says otherwise.',
    tag: 'audit',
    scope: 'audit:read',
    query: listAuditEventsQuerySchema,
    answers: { 200: { description: 'The events.', schema: z.array(auditEventSchema), headers: ['Link'] } },
    errors: ['invalid_cursor'],
  },
  createSession: {
    method: 'post',
    path: '/v1/sessions',
    summary: 'Open a session',
    description:
      'Exchanges an API key for a key that lasts twelve hours, with the same scopes. A key has 100 sessions at most: one more ends ' +
      'the one that would end first.',
    tag: 'sessions',
    holder: 'api_key',
    isAllowedWhileSuspended: true,
    answers: { 201: { description: 'The session.', schema: createdSessionSchema } },
  },
  endSession: {
    method: 'delete',
    path: '/v1/sessions/current',
    summary: 'End the session',
    description: 'The session whose key is sent.',
    tag: 'sessions',
    holder: 'session',
    isAllowedWhileSuspended: true,
    answers: { 204: { description: 'Ended.' } },
  },
} as const satisfies Operations;
