import { isIP } from 'node:net';
import { z } from 'zod';
import { canonicalName, isDnsName, recordTypes } from './record-data.js';
import { secondServerStates } from './second-servers.js';
import { failureCodes } from './zone.js';

export const BODY_LIMIT_BYTES = 65_536;
const DEFAULT_TTL = 60;
/** More than any platform has. */
const MAX_ADDRESSES = 64;

const name = z.string().transform(canonicalName).refine(isDnsName, { error: 'is not a domain name' });
const upperCase = z.string().transform((text) => text.trim().toUpperCase());
const recordType = upperCase.pipe(z.enum(recordTypes, { error: `must be one of ${recordTypes.join(', ')}` }));

/** A record, as it is put in and kept. */
export const recordSchema = z.strictObject({
  name,
  type: recordType,
  data: z.string().max(BODY_LIMIT_BYTES),
  ttl: z.int().min(0).max(2_147_483_647).default(DEFAULT_TTL),
});

export const failureSchema = z.strictObject({
  name,
  type: upperCase.optional(),
  rcode: upperCase.pipe(z.enum(failureCodes, { error: `must be one of ${failureCodes.join(', ')}` })),
  isZone: z.boolean().optional(),
  isBogus: z.boolean().optional(),
  extendedError: z
    .strictObject({ code: z.int().min(0).max(65_535), text: z.string().max(1_000).optional() })
    .optional(),
});

/** Addresses of a name, and how many of them an answer shows. */
export const rotationSchema = z.strictObject({
  name,
  addresses: z
    .array(z.string().refine((text) => isIP(text) !== 0, { error: 'is not an IP address' }))
    .min(1)
    .max(MAX_ADDRESSES),
  count: z.int().min(1).default(1),
});

/** State of the second server of a zone. */
export const secondServerSchema = z.strictObject({
  zone: name,
  state: z.enum(secondServerStates, { error: `must be one of ${secondServerStates.join(', ')}` }),
});

export const selectorSchema = z.object({ name, type: upperCase.optional() });
export const zoneSelectorSchema = z.object({ zone: name });

/** The content of the file of records. Versions before kept the records alone, as an array. */
export const fileSchema = z.preprocess(
  (content) => (Array.isArray(content) ? { records: content } : content),
  z.object({
    records: z.array(recordSchema),
    rotations: z.array(rotationSchema).default([]),
    secondServers: z.array(secondServerSchema.extend({ records: z.array(recordSchema).optional() })).default([]),
  }),
);
