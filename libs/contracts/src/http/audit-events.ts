import { z } from 'zod';
import { auditActorKinds, auditEventTypes, auditSubjectKinds } from '../audit-enums.js';
import { instantSchema } from './scalars.js';
import { pageParameters } from './page.js';

/** Query of listAuditEvents. Strict, as every query. */
export const listAuditEventsQuerySchema = z.strictObject({
  ...pageParameters,
  type: z.enum(auditEventTypes).describe('Return only changes of this kind.').optional(),
  actorId: z
    .uuid()
    .describe('Return only changes by this person, or by this API key and its sessions: `actor.id`.')
    .optional(),
  subjectId: z.uuid().describe('Return only changes of this resource: `subject.id`.').optional(),
});

export type ListAuditEventsQuery = z.infer<typeof listAuditEventsQuerySchema>;

const detailSchema = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string()).readonly()]))
  .readonly();

export type AuditDetail = z.infer<typeof detailSchema>;

const auditActorSchema = z
  .object({
    kind: z.enum(auditActorKinds),
    id: z
      .uuid()
      .nullable()
      .describe(
        'The id of the person, or of the API key, also for its sessions; null for an operator and for the service.',
      ),
    display: z
      .string()
      .nullable()
      .describe(
        'The person’s name or e-mail address as it is now, null once it was deleted; the API key as shown in lists, also after ' +
          'its deletion; or the name of the operator.',
      ),
  })
  .readonly()
  .meta({ id: 'AuditActor', description: 'The person, key, operator or service that made a change.' });

/** One change. */
export const auditEventSchema = z
  .object({
    id: z.uuid(),
    at: instantSchema,
    type: z.string().describe(`The kind of change: ${auditEventTypes.map((type) => `\`${type}\``).join(', ')}.`),
    actor: auditActorSchema,
    address: z.string().nullable().describe('The IP address of the client; null for an operator.'),
    requestId: z.string().nullable().describe('The `X-Request-Id` of the response; null for an operator.'),
    subject: z
      .object({
        kind: z.enum(auditSubjectKinds),
        id: z.string(),
        display: z
          .string()
          .nullable()
          .describe(
            'Its name when it was changed, else its name now; of a webhook endpoint the host, and of an origin the domain or the URL. ' +
              'Null where it has none, such as a session, and where the name of a person was deleted.',
          ),
      })
      .readonly()
      .describe('The resource that was changed.'),
    project: z
      .object({ id: z.uuid(), name: z.string() })
      .readonly()
      .nullable()
      .describe('The project of the resource, by its name now; null where it is in none.'),
    detail: detailSchema.describe('Further details by name; never a secret.'),
  })
  .readonly()
  .meta({
    id: 'AuditEvent',
    description: 'A change: its kind, actor, client address and subject.',
    example: {
      id: '7f4f7b2e-3c55-4c8e-9b0a-0f8f1f6c2d11',
      at: '2026-11-02T09:12:00.000Z',
      type: 'api_key.created',
      actor: { kind: 'api_key', id: '9b2f7a44-6d3c-4e0b-8f5e-2c1d0a9b8e77', display: 'pets_live_…k3Qz' },
      address: '203.0.113.7',
      requestId: '0f9d3a51-6f1d-4a8e-8a3e-3f1f5b2a7c90',
      subject: { kind: 'api_key', id: 'c9a1f6de-3b52-4f0e-8c61-2f0f3ec4a7b5', display: 'Inventory import' },
      project: null,
      detail: { name: 'Inventory import', scopes: ['pets:read', 'pets:write'], expiresAt: null },
    },
  });

export type AuditEvent = z.infer<typeof auditEventSchema>;
