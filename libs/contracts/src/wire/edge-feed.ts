import { z } from 'zod';
import { redirectStatuses } from '../enums.js';

/**
 * The protocol versions of the edge feed. An edge requests one (`protocol=N`, absent = 1), and the API sends only routes
 * and messages of that version:
 *
 * - 1: routes that serve a site, a redirect, or nothing yet
 * - 2: suspended routes; an edge of protocol 1 receives them as removed
 * - 3: sessions (`edge-session.ts`): acknowledgements on the feed's connection, and snapshots in the file storage
 * - 4: routes may name the thumbprint of challenges; an edge of protocol 3 ignores it, and the API waits until there is none
 * - 5: routes of wildcards (`*.example.com`) and excluded hosts; an edge of protocol 4 receives both as removed
 *
 * A new kind of route or message takes the next number. Two releases later, `oldest` is raised: the API answers older
 * requests with 410, which the edge logs.
 */
export const edgeFeedProtocols = { oldest: 1, newest: 5 } as const;

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
  /**
   * Redirects to `https://<to>` with the path and query of the request. In the route of a wildcard `to` may begin with `*.`,
   * which stands for the label of the requested host: `*.old.example` to `*.new.example` sends `a.old.example` to
   * `a.new.example`.
   */
  z.object({ kind: z.literal('redirect'), to: z.string(), status: z.literal([...redirectStatuses]) }),
  /** Every request is answered 410; protocol 2. */
  z.object({ kind: z.literal('suspended') }),
  /**
   * The host is treated as one without a route, though a wildcard covers it: no handshake, no page, no challenge. Its route has
   * no certificate. Protocol 5.
   */
  z.object({ kind: z.literal('excluded') }),
]);
export type EdgeServe = z.infer<typeof edgeServeSchema>;

/** Edges of an older protocol know neither wildcards nor excluded hosts. */
export const WILDCARD_PROTOCOL = 5;

/** Edges of an older protocol answer every challenge with the thumbprint of the feed. */
export const NAMED_THUMBPRINTS_PROTOCOL = 4;

/** Edges of an older protocol receive suspended hosts as removed. */
export const SUSPENDED_PROTOCOL = 2;

/** The oldest protocol with sessions. */
export const OLDEST_SESSION_PROTOCOL = 3;

/**
 * In a route: the certificate of `*.<platform domain>`. An edge presents the one that it is configured with, else the issued one
 * that the feed names (`platformCertificate` of a batch). So a renewal changes no route.
 */
export const PLATFORM_CERTIFICATE = 'platform';

/** Stands for the organization of the issued platform certificate, which belongs to none. */
export const PLATFORM_ORGANIZATION = 'platform';

/** `*.example.com` covers the names that are exactly one label below `example.com` (RFC 9525 §6.3), and no other. */
export function isWildcard(host: string): boolean {
  return host.startsWith('*.');
}

/**
 * The wildcard that covers a host.
 * @returns undefined for a wildcard and for a name of a single label, which none covers
 */
export function wildcardOf(host: string): string | undefined {
  const dot = host.indexOf('.');
  return dot < 1 || dot === host.length - 1 || isWildcard(host) ? undefined : `*${host.slice(dot)}`;
}

export const edgeRouteSchema = z.object({
  /** Whether the edge answers HTTP-01 challenges of this host with `token.thumbprint`. */
  answersChallenges: z.boolean(),
  /**
   * The thumbprint (RFC 7638) of the account whose challenges it answers; absent for that of the feed. Protocol 4.
   */
  challengeThumbprint: z
    .string()
    .regex(/^[\w-]{43}$/)
    .optional(),
  /** Null while there is nothing to serve (being issued). */
  serve: edgeServeSchema.nullable(),
  /** Id of the certificate to present; null while there is none. */
  certificateId: z.string().nullable(),
  /**
   * Whether visitors still go elsewhere: the edge reports handshakes for this host, which may be the first after a switch. Of
   * a wildcard it reports the wildcard.
   */
  isPrepared: z.literal(true).optional(),
  /**
   * For an exact host below a wildcard of the same organization: while the route has neither a certificate nor anything to
   * serve, the wildcard's route answers everything but challenges. Otherwise an exact route always wins. Only the API knows
   * the organizations, so it publishes the host again when the wildcard changes hands. Ignored where there is no such wildcard,
   * and by edges before protocol 5.
   */
  wildcardUntilCertified: z.literal(true).optional(),
  /** The header Strict-Transport-Security over TLS; absent when the project does not use it. */
  hsts: z
    .string()
    .regex(/^[\x20-\x7e]+$/)
    .optional(),
});
export type EdgeRoute = z.infer<typeof edgeRouteSchema>;

/**
 * Which row of the table answers for a host: its own, which wins also when it excludes the host or has no certificate yet, or
 * that of the wildcard that covers it.
 * @returns `interim`: the wildcard's, while the host's own row waits for its certificate and answers challenges only
 */
export function chooseRow(
  exact: EdgeRoute | undefined,
  wildcard: EdgeRoute | undefined,
): 'exact' | 'wildcard' | 'interim' | undefined {
  if (exact === undefined) return wildcard && 'wildcard';
  if (exact.serve?.kind === 'excluded') return undefined;
  return wildcard !== undefined && waitsForCertificate(exact) ? 'interim' : 'exact';
}

/** Whether a wildcard of the same organization may answer for the host meanwhile. */
export function waitsForCertificate({ wildcardUntilCertified, certificateId, serve }: EdgeRoute): boolean {
  return wildcardUntilCertified === true && certificateId === null && serve === null;
}

/** The newest state of one host. `route: null`: the host is no longer served. */
const edgeFeedEntrySchema = z.object({
  /** A name, or since protocol 5 a wildcard. `chooseRow` says which of both answers for a name. */
  host: z.string(),
  version: z.int(),
  route: edgeRouteSchema.nullable(),
  /** The trace (W3C Trace Context) of the change, if tracing is on; never in a reset. */
  traceparent: z.string().optional(),
});
export type EdgeFeedEntry = z.infer<typeof edgeFeedEntrySchema>;

export const edgeFeedBatchSchema = z.object({
  kind: z.literal('batch'),
  epoch: z.string(),
  /** The protocol of the batch; absent (= 1) from an API that has only protocol 1. */
  protocol: z.int().optional(),
  /** The version of the reader before this batch; 0 with `reset`. */
  after: z.int(),
  version: z.int(),
  /** The entries replace the table; never in a session of protocol 3. */
  reset: z.boolean(),
  entries: z.array(edgeFeedEntrySchema),
  /** RFC 7638 thumbprint of the default account's key; null before an account is ready. */
  thumbprint: z.string().nullable(),
  /**
   * Id of the issued certificate of `*.<platform domain>`; null while there is none. Absent from an API before it existed: the
   * edge keeps what it has. Every batch has it, so that an edge that was updated learns it with its first session.
   */
  platformCertificate: z.string().nullable().optional(),
});

export const edgeFeedHeartbeatSchema = z.object({ kind: z.literal('heartbeat'), version: z.int() });

/** Whether only edges from `WILDCARD_PROTOCOL` on receive a route; to older ones its host is removed. */
export function needsWildcardProtocol(host: string, route: EdgeRoute | null): boolean {
  return isWildcard(host) || route?.serve?.kind === 'excluded';
}

/**
 * Up to protocol 2, `GET /internal/edge/feed?after=N&epoch=E&protocol=P&held=H` streams these messages, one JSON text a line
 * (NDJSON).
 *
 * The first `batch` brings the reader from version N to `version`; each later one contains a change. A batch has the newest
 * state of every host that changed in (after, version], and may have newer states, which are sent again later. Versions
 * ascend and are never skipped within an epoch.
 *
 * With `reset` the entries replace the table. The API resets when the epoch differs (a new database), when N is ahead of
 * the database, and when the table was sent under an older protocol (`held`, absent = 1) than the current one, since it may
 * lack hosts of newer kinds.
 */
export const edgeFeedMessageSchema = z.discriminatedUnion('kind', [edgeFeedBatchSchema, edgeFeedHeartbeatSchema]);
export type EdgeFeedMessage = z.infer<typeof edgeFeedMessageSchema>;

/**
 * Up to protocol 2, `POST /internal/edge/acks`: registers an edge and reports the version that it has applied. Sent before
 * the edge serves anything, after each applied batch and as a heartbeat every 5 s. Answer: 204.
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
