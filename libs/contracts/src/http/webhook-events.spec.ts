import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { domainSchema } from './domains.js';
import { originSchema } from './origins.js';
import { orderSchema, petSchema } from './store.js';
import { webhookEventCatalog } from './webhook-events.js';

const schemas = { Domain: domainSchema, Origin: originSchema, Pet: petSchema, Order: orderSchema } as const;

/** Ids are bigints once they are parsed. */
const asSent = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? Number(member) : member)));

it.each(Object.entries(webhookEventCatalog))(
  'the example of %s has every field of its resource, and no other',
  (type, { resource, example }) => {
    const schema: z.ZodType = schemas[resource];
    expect(asSent(schema.parse(example))).toEqual(asSent(example));
    expect(schema.meta()?.id).toBe(resource);
    expect(type.split('.')[0]).toBe(resource.toLowerCase());
  },
);
