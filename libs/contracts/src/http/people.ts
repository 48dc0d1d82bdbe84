import { z } from 'zod';
import { roles } from '../enums.js';
import { someApiKeysSchema } from './api-keys.js';
import { pageParameters } from './page.js';
import { instantSchema, textSchema } from './scalars.js';

const roleSchema = z.enum(roles).meta({
  id: 'Role',
  description:
    'What a person may do: a `viewer` reads; a `developer` also changes animals, orders, projects and domains; an `admin` also ' +
    'changes webhooks, API keys and people who are not owners; an `owner` may do everything.',
});

const personExample = {
  id: '5b0c7e62-9f4a-4d1e-8a37-6c2d1f0e9b84',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  role: 'developer',
  createdAt: '2026-11-02T09:00:00.000Z',
  lastSignInAt: '2026-11-20T08:15:00.000Z',
} as const;

const personFields = {
  id: z.uuid(),
  name: z.string().nullable().describe('As the identity provider sent it at the last sign-in.'),
  email: z
    .string()
    .nullable()
    .describe('As the identity provider sent it at the last sign-in. For display: it identifies nobody.'),
  role: roleSchema,
  createdAt: instantSchema,
  lastSignInAt: instantSchema,
};

/** A person of the organization. */
export const personSchema = z
  .object(personFields)
  .readonly()
  .meta({ id: 'Person', description: 'A person who can sign in to the dashboard.', example: personExample });

export type Person = z.infer<typeof personSchema>;

/** Query of listPeople. */
export const listPeopleQuerySchema = z.strictObject(pageParameters);

export type ListPeopleQuery = z.infer<typeof listPeopleQuerySchema>;

/** Path of a person. */
export const personPathSchema = z.strictObject({
  personId: z.uuid().meta({ description: 'The id of the person.', example: personExample.id }),
});

/** Body of updatePerson. */
export const personChangeSchema = z
  .strictObject({ role: roleSchema })
  .meta({ id: 'PersonChange', description: 'A new role.', example: { role: 'admin' } });

export type PersonChange = z.infer<typeof personChangeSchema>;

/** The answer to updatePerson. */
export const changedPersonSchema = z
  .object({
    ...personFields,
    revokedApiKeys: someApiKeysSchema.describe('Keys of the person with a scope that the new role lacks: they ended.'),
  })
  .readonly()
  .meta({
    id: 'ChangedPerson',
    description: 'A person with their new role.',
    example: { ...personExample, revokedApiKeys: { total: 0, first: [] } },
  });

export type ChangedPerson = z.infer<typeof changedPersonSchema>;

/** Query of removePerson. */
export const removePersonQuerySchema = z.strictObject({
  keys: z
    .enum(['revoke', 'keep'])
    .describe(
      'Whether API keys that the person made, and those made with them, are revoked. Needed if there are valid ones.',
    )
    .optional(),
});

export type RemovePersonQuery = z.infer<typeof removePersonQuerySchema>;

const invitationName = textSchema(100).describe('For whom the invitation is: 1 to 100 characters, for lists.');

/** Body of createInvitation. */
export const newInvitationSchema = z.strictObject({ name: invitationName, role: roleSchema }).meta({
  id: 'NewInvitation',
  description: 'An invitation to create.',
  example: { name: 'Ada Lovelace', role: 'developer' },
});

export type NewInvitation = z.infer<typeof newInvitationSchema>;

const invitationFields = {
  id: z.uuid(),
  name: invitationName,
  role: roleSchema,
  createdAt: instantSchema,
  expiresAt: instantSchema.describe('Seven days after creation.'),
};

const invitationExample = {
  id: 'e1d0a7c4-52b8-4c3f-9d6e-7f8091a2b3c4',
  name: 'Ada Lovelace',
  role: 'developer',
  createdAt: '2026-11-02T09:00:00.000Z',
  expiresAt: '2026-11-09T09:00:00.000Z',
};

/** An invitation as listed: everything but its link. */
export const invitationSchema = z.object(invitationFields).readonly().meta({
  id: 'Invitation',
  description: 'An invitation that nobody has used yet.',
  example: invitationExample,
});

export type Invitation = z.infer<typeof invitationSchema>;

/** The answer to createInvitation, the only one that has the link. */
export const createdInvitationSchema = z
  .object({
    ...invitationFields,
    url: z.url().describe('The link for the invited person. It works once, and is shown only once.'),
  })
  .readonly()
  .meta({
    id: 'CreatedInvitation',
    description: 'A new invitation.',
    example: {
      ...invitationExample,
      url: 'https://api.example.com/dashboard/invitation#Jv3Zt0cXw9uQm5sNfLr8aKdEy2hBgP7iOxT1CkR4VbU',
    },
  });

export type CreatedInvitation = z.infer<typeof createdInvitationSchema>;

/** Query of listInvitations. */
export const listInvitationsQuerySchema = z.strictObject(pageParameters);

export type ListInvitationsQuery = z.infer<typeof listInvitationsQuerySchema>;

/** Path of an invitation. */
export const invitationPathSchema = z.strictObject({
  invitationId: z.uuid().meta({ description: 'The id of the invitation.', example: invitationExample.id }),
});
