import { z } from 'zod';
import { redirectStatuses } from '../enums.js';

/**
 * The protocol of the edge feed says which routes and messages an edge understands. The request carries it
 * (`protocol=N`, absent = 1), and the API sends each edge only what its protocol has:
 *
 * - 1: routes that serve a site, a redirect, or nothing yet
 * - 2: routes that are suspended; an edge of protocol 1 gets them as removed
 *
 * A new kind of route or message takes the next number. A number is dropped two releases after its successor came:
 * `oldest` is then raised, and a request below it is answered 410, which the edge logs.
 */
export const edgeFeedProtocols = { oldest: 1, newest: 2 } as const;

/** The protocol version for an edge; null if the edge is too old. A newer edge gets the newest version. */
export function chooseEdgeFeedProtocol(
  asked: number,
  { oldest, newest }: { readonly oldest: number; readonly newest: number } = edgeFeedProtocols,
): number | null {
  return asked < oldest ? null : Math.min(asked, newest);
}

/** The content of a host. */
const edgeServeSchema = z.discriminatedUnion('kind', [
  /** The deployment of this content in the file storage. */
  z.object({ kind: z.literal('site'), contentHash: z.string() }),
  /** Redirects to `https://<to>` with the path and query of the request. */
  z.object({ kind: z.literal('redirect'), to: z.string(), status: z.literal([...redirectStatuses]) }),
  /** Every request is answered 410; protocol 2. */
  z.object({ kind: z.literal('suspended') }),
]);
export type EdgeServe = z.infer<typeof edgeServeSchema>;

/** `platform` is the configured certificate of `*.<platform domain>`. */
export const PLATFORM_CERTIFICATE = 'platform';

export const edgeRouteSchema = z.object({
  /** Whether HTTP-01 challenges for this host are answered (`token.thumbprint`, for each published thumbprint's CA). */
  answersChallenges: z.boolean(),
  /** Null while there is nothing to serve (being issued). */
  serve: edgeServeSchema.nullable(),
  /** Id of the certificate to present; null while there is none. */
  certificateId: z.string().nullable(),
  /** Strict-Transport-Security as it is sent over TLS; missing where the project does not ask for it. */
  hsts: z
    .string()
    .regex(/^[\x20-\x7e]+$/)
    .optional(),
});
export type EdgeRoute = z.infer<typeof edgeRouteSchema>;

/** The newest state of one host. `route: null`: the host is no longer served. */
const edgeFeedEntrySchema = z.object({
  host: z.string(),
  version: z.int(),
  route: edgeRouteSchema.nullable(),
  /** The trace (W3C Trace Context) of the change, if tracing is on; never in a reset. */
  traceparent: z.string().optional(),
});
export type EdgeFeedEntry = z.infer<typeof edgeFeedEntrySchema>;

/**
 * `GET /internal/edge/feed?after=N&epoch=E&protocol=P&held=H` streams these, one JSON text a line (NDJSON). The first `batch` brings the
 * reader from N to `version`; later ones each change. With `reset` the table is replaced by the entries: the epoch is
 * another one (a new database), N is ahead of it, or the reader's table was sent under an older protocol (`held`, absent
 * = 1) than is spoken now, so that it may lack hosts of kinds that the older one did not have. Versions ascend and are never skipped within an epoch: a batch
 * holds the newest state of every host that changed in (after, version], and may hold newer ones, which come again.
 */
export const edgeFeedMessageSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('batch'),
    epoch: z.string(),
    /** The protocol it was written under; absent (= 1) from an API that knows no other. */
    protocol: z.int().optional(),
    /** The version the reader is at before it, 0 with `reset`. */
    after: z.int(),
    version: z.int(),
    reset: z.boolean(),
    entries: z.array(edgeFeedEntrySchema),
    /** RFC 7638 thumbprint of our ACME account key; null before an account is ready. */
    thumbprint: z.string().nullable(),
  }),
  z.object({ kind: z.literal('heartbeat'), version: z.int() }),
]);
export type EdgeFeedMessage = z.infer<typeof edgeFeedMessageSchema>;

/**
 * `POST /internal/edge/acks`: registers an edge and reports the version that it has applied. Sent before the edge serves
 * anything, after each applied batch and as a heartbeat every 5 s. Answer: 204.
 */
export const edgeAckSchema = z.object({
  edgeId: z.string().regex(/^[A-Za-z0-9-]{8,64}$/),
  epoch: z.string(),
  version: z.int().nonnegative(),
  /** The addresses for the worker's probes, `host:port`. */
  httpAddress: z.string(),
  httpsAddress: z.string(),
});
export type EdgeAck = z.infer<typeof edgeAckSchema>;

/** `GET /internal/edge/certificates/{id}`: 404 when there is none. The key stays sealed until it is used. */
export const sealedCertificateSchema = z.object({
  id: z.string(),
  organizationId: z.string(),
  chainPem: z.string(),
  /** Sealed with associated data `certificates|<id>|<organizationId>`. */
  sealedKey: z.string(),
});
export type SealedCertificate = z.infer<typeof sealedCertificateSchema>;

/** The associated data of a sealed certificate key: binds the ciphertext to its row and its organization. */
export function certificateKeyBinding(id: string, organizationId: string): string {
  return `certificates|${id}|${organizationId}`;
}
