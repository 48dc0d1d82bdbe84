import { z } from 'zod';
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
