import { z } from 'zod';
import { redirectStatuses } from '../enums.js';

/**
 * The protocol of the edge feed: which routes and messages there are. An edge asks for one number (`protocol=N`), each batch
 * names it, and pets-api refuses a number that it does not have with 410, which the edge logs. A new kind of route or message
 * takes the next number, because an edge must not skip what it does not know; pets-api then has both for a while.
 */
export const EDGE_FEED_PROTOCOL = 1;

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
  /** Every request is answered 410. */
  z.object({ kind: z.literal('suspended') }),
  /**
   * The host is treated as one without a route, though a wildcard covers it: no handshake, no page, no challenge. Its route has
   * no certificate.
   */
  z.object({ kind: z.literal('excluded') }),
]);
export type EdgeServe = z.infer<typeof edgeServeSchema>;

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
  /** The thumbprint (RFC 7638) of the account whose challenges it answers; absent for that of the feed. */
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
   * the organizations, so it publishes the host again when the wildcard changes hands. Ignored where there is no such wildcard.
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
  /** A name or a wildcard. `chooseRow` says which of both answers for a name. */
  host: z.string(),
  version: z.int(),
  route: edgeRouteSchema.nullable(),
  /** The trace (W3C Trace Context) of the change, if tracing is on. */
  traceparent: z.string().optional(),
});
export type EdgeFeedEntry = z.infer<typeof edgeFeedEntrySchema>;

/**
 * Changes in (after, version]: the newest state of every host that changed, perhaps newer ones, which are sent again later.
 * Versions ascend and are never skipped within an epoch.
 */
export const edgeFeedBatchSchema = z.object({
  kind: z.literal('batch'),
  epoch: z.string(),
  protocol: z.literal(EDGE_FEED_PROTOCOL),
  /** The version of the reader before this batch. */
  after: z.int(),
  version: z.int(),
  entries: z.array(edgeFeedEntrySchema),
  /** RFC 7638 thumbprint of the default account's key; null before an account is ready. */
  thumbprint: z.string().nullable(),
  /** Id of the issued certificate of `*.<platform domain>`; null while there is none. */
  platformCertificate: z.string().nullable(),
});

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
