import { z } from 'zod';
import {
  apiKeyPathSchema,
  apiKeySchema,
  createdApiKeySchema,
  createdSessionSchema,
  newApiKeySchema,
} from '../api-keys.js';
import type { Operations } from './operation.js';

export const accessOperations = {
  listApiKeys: {
    method: 'get',
    path: '/v1/api-keys',
    summary: 'List API keys',
    description: 'In order of creation, revoked and expired ones too.',
    tag: 'api-keys',
    scope: 'keys:read',
    answers: { 200: { description: 'The keys.', schema: z.array(apiKeySchema) } },
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
  },
  revokeApiKey: {
    method: 'delete',
    path: '/v1/api-keys/{apiKeyId}',
    summary: 'Revoke an API key',
    description: 'Within a second it is refused everywhere, and so are its sessions. A revoked key stays in the list.',
    tag: 'api-keys',
    scope: 'keys:write',
    params: apiKeyPathSchema,
    answers: { 204: { description: 'Revoked.' } },
    errors: ['not_found'],
  },
  createSession: {
    method: 'post',
    path: '/v1/sessions',
    summary: 'Open a session',
    description: 'Exchanges an API key for a key that lasts twelve hours, with the same scopes.',
    tag: 'sessions',
    holder: 'api_key',
    answers: { 201: { description: 'The session.', schema: createdSessionSchema } },
  },
  endSession: {
    method: 'delete',
    path: '/v1/sessions/current',
    summary: 'End the session',
    description: 'The session whose key is sent.',
    tag: 'sessions',
    holder: 'session',
    answers: { 204: { description: 'Ended.' } },
  },
} as const satisfies Operations;
