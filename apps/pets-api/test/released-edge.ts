import { z } from 'zod';

/**
 * What the edge of release 1.0.0 reads from the feed, as it was released. Frozen: that edge drops the connection at the
 * first line that does not match, and connects again. Deleted when the API drops protocol 1.
 */
const serve = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('site'), contentHash: z.string() }),
  z.object({ kind: z.literal('redirect'), to: z.string(), status: z.literal([301, 302, 307, 308]) }),
]);

const route = z.object({
  answersChallenges: z.boolean(),
  serve: serve.nullable(),
  certificateId: z.string().nullable(),
  hsts: z
    .string()
    .regex(/^[\x20-\x7e]+$/)
    .optional(),
});

const entry = z.object({
  host: z.string(),
  version: z.int(),
  route: route.nullable(),
  traceparent: z.string().optional(),
});

export const releasedFeedMessageSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('batch'),
    epoch: z.string(),
    after: z.int(),
    version: z.int(),
    reset: z.boolean(),
    entries: z.array(entry),
    thumbprint: z.string().nullable(),
  }),
  z.object({ kind: z.literal('heartbeat'), version: z.int() }),
]);
