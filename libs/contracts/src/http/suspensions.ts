import { z } from 'zod';
import { suspensionCauses, suspensionScopes } from '../enums.js';
import { instantSchema } from './scalars.js';

const suspensionSchema = z
  .object({
    scope: z.enum(suspensionScopes).describe('Whether the resource itself is suspended or one that contains it.'),
    cause: z.enum(suspensionCauses),
    reason: z.string().describe('The reason, for the owner.'),
    since: instantSchema,
    renewsUntil: instantSchema
      .nullable()
      .describe('Until when certificates are still renewed; null: they are not renewed during the suspension.'),
  })
  .readonly()
  .meta({
    id: 'Suspension',
    description:
      'Why visitors get 410. `operator`: the operator suspended it; `plan`: the plan no longer includes it; `blocked_name`: ' +
      'the operator blocked the name.',
    example: {
      scope: 'domain',
      cause: 'operator',
      reason: 'phishing reports',
      since: '2026-11-02T09:30:00.000Z',
      renewsUntil: null,
    },
  });

/** Every suspension that holds. */
export const suspensionsSchema = z.array(suspensionSchema).readonly();
