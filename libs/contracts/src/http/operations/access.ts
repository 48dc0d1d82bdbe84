import { z } from 'zod';
import {
  apiKeyPathSchema,
  apiKeySchema,
  createdApiKeySchema,
  createdSessionSchema,
  listApiKeysQuerySchema,
  newApiKeySchema,
  revokeApiKeyQuerySchema,
} from '../api-keys.js';
import { auditEventSchema, listAuditEventsQuerySchema } from '../audit-events.js';
import {
  changedPersonSchema,
  createdInvitationSchema,
  invitationPathSchema,
  invitationSchema,
  listInvitationsQuerySchema,
  listPeopleQuerySchema,
  newInvitationSchema,
  personChangeSchema,
  personPathSchema,
  personSchema,
  removePersonQuerySchema,
} from '../people.js';
import type { Operations } from './operation.js';

export const accessOperations = {
  listApiKeys: {
    method: 'get',
    path: '/v1/api-keys',
    summary: 'List API keys',
    description:
      'In order of creation unless `sort` is given, with revoked and expired keys of the last 90 days, at most the newest 1 000, unless `state` is given. `Link` points ' +
      'to the next page.',
    tag: 'api-keys',
    scope: 'keys:read',
    query: listApiKeysQuerySchema,
    answers: { 200: { description: 'A page of keys.', schema: z.array(apiKeySchema), headers: ['Link'] } },
    errors: ['invalid_cursor'],
  },
  createApiKey: {
    method: 'post',
    path: '/v1/api-keys',
    summary: 'Create an API key',
    description:
      'The new key can have only scopes that the caller has. The key is shown only once. A person has to have signed in ' +
      'within the last 15 minutes; other sessions cannot create keys.',
    tag: 'api-keys',
    scope: 'keys:write',
    holder: 'recent',
    body: { schema: newApiKeySchema },
    answers: { 201: { description: 'The key.', schema: createdApiKeySchema } },
    errors: ['api_key_limit_reached'],
  },
  revokeApiKey: {
    method: 'delete',
    path: '/v1/api-keys/{apiKeyId}',
    summary: 'Revoke an API key',
    description:
      'The key and its sessions are refused everywhere within a second. A revoked key stays in the list for 90 days. The caller ' +
      'needs all scopes of the key, or has made it, or reports it as leaked. Every key may revoke itself, without `keys:write`.',
    tag: 'api-keys',
    scope: 'keys:write',
    isAllowedWhileSuspended: true,
    ownKeyParam: 'apiKeyId',
    params: apiKeyPathSchema,
    query: revokeApiKeyQuerySchema,
    answers: { 204: { description: 'Revoked.' } },
    errors: ['not_found'],
  },
  listAuditEvents: {
    method: 'get',
    path: '/v1/audit-events',
    summary: 'List audit events',
    description:
      'All changes to the organization, newest first: keys, sessions, people, projects, domains, webhooks, plans, and actions of the ' +
      'operator. With several filters, a page may have fewer entries than its limit, or none, and still a `Link` to the next one. ' +
      'Kept for 400 days unless the operator configures another period.',
    tag: 'audit',
    scope: 'audit:read',
    query: listAuditEventsQuerySchema,
    answers: { 200: { description: 'A page of events.', schema: z.array(auditEventSchema), headers: ['Link'] } },
    errors: ['invalid_cursor'],
  },
  createSession: {
    method: 'post',
    path: '/v1/sessions',
    summary: 'Open a session',
    description:
      'Exchanges an API key for a session key with the same scopes that is valid for twelve hours. A key has at most 100 ' +
      'sessions; opening another ends the one that expires first.',
    tag: 'sessions',
    holder: 'api_key',
    isAllowedWhileSuspended: true,
    answers: { 201: { description: 'The session.', schema: createdSessionSchema } },
  },
  endSession: {
    method: 'delete',
    path: '/v1/sessions/current',
    summary: 'End the session',
    description: 'Ends the session of the key that is sent.',
    tag: 'sessions',
    holder: 'session',
    isAllowedWhileSuspended: true,
    answers: { 204: { description: 'Ended.' } },
  },
} as const satisfies Operations;

const common = { tag: 'people' } as const;

export const peopleOperations = {
  listPeople: {
    ...common,
    method: 'get',
    path: '/v1/people',
    summary: 'List people',
    description: 'In order of creation. `Link` points to the next page.',
    scope: 'people:read',
    query: listPeopleQuerySchema,
    answers: { 200: { description: 'A page of people.', schema: z.array(personSchema), headers: ['Link'] } },
    errors: ['invalid_cursor'],
  },
  updatePerson: {
    ...common,
    method: 'patch',
    path: '/v1/people/{personId}',
    summary: 'Change the role of a person',
    description:
      'Takes effect within a second, also for open sessions. The caller needs all scopes of the old and of the new role. ' +
      'API keys of the person with a scope that the new role lacks are revoked. The last owner stays one. A person has to have signed in within the last 15 minutes.',
    scope: 'people:write',
    holder: 'recent',
    params: personPathSchema,
    body: { schema: personChangeSchema },
    answers: { 200: { description: 'The person.', schema: changedPersonSchema } },
    errors: ['not_found', 'conflict'],
  },
  removePerson: {
    ...common,
    method: 'delete',
    path: '/v1/people/{personId}',
    summary: 'Remove a person',
    description:
      'Ends their sessions, and deletes the invitations that they created. If API keys that they made, or that were made with ' +
      'those, are valid, `keys` decides about them; list them with `GET /v1/api-keys?personId=`. The caller needs all scopes of ' +
      'their role and, to revoke, of the keys. The last owner cannot be removed. To come back, the person needs an invitation. ' +
      'Of somebody whose membership the identity provider ended, the same request decides about the keys left behind.',
    scope: 'people:write',
    isAllowedWhileSuspended: true,
    params: personPathSchema,
    query: removePersonQuerySchema,
    answers: { 204: { description: 'Removed.' } },
    errors: ['not_found', 'conflict', 'keys_undecided'],
  },
  listInvitations: {
    ...common,
    method: 'get',
    path: '/v1/invitations',
    summary: 'List invitations',
    description: 'Invitations that nobody has used and that have not expired, in order of creation.',
    scope: 'people:read',
    query: listInvitationsQuerySchema,
    answers: { 200: { description: 'A page of invitations.', schema: z.array(invitationSchema), headers: ['Link'] } },
    errors: ['invalid_cursor'],
  },
  createInvitation: {
    ...common,
    method: 'post',
    path: '/v1/invitations',
    summary: 'Invite a person',
    description:
      'Returns a link, which is shown only once and which you send to the person. The first person who signs in with it, ' +
      'within seven days, gets the role. The caller needs all scopes of the role. The invitation ends early if the caller loses ' +
      'them. An organization has at most 100 invitations. A person has to have signed in within the last 15 minutes.',
    scope: 'people:write',
    holder: 'recent',
    body: { schema: newInvitationSchema },
    answers: { 201: { description: 'The invitation.', schema: createdInvitationSchema } },
    errors: ['conflict'],
  },
  deleteInvitation: {
    ...common,
    method: 'delete',
    path: '/v1/invitations/{invitationId}',
    summary: 'Delete an invitation',
    description: 'Its link stops working. The caller needs all scopes of its role.',
    scope: 'people:write',
    isAllowedWhileSuspended: true,
    params: invitationPathSchema,
    answers: { 204: { description: 'Deleted.' } },
    errors: ['not_found'],
  },
} as const satisfies Operations;
