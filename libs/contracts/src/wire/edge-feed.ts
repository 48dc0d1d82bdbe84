import { z } from 'zod';
import { originFailures, redirectStatuses, trailingSlashes } from '../enums.js';

export { originFailures };

/**
 * The protocol of the edge feed: which routes and messages there are. An edge asks for one number (`protocol=N`), each batch
 * names it, and pets-api refuses a number that it does not have with 410, which the edge logs. A new kind of route or message
 * takes the next number, because an edge must not skip what it does not know; pets-api then has both for a while.
 */
export const EDGE_FEED_PROTOCOL = 1;

/** The content of a host. */
const edgeServeSchema = z.discriminatedUnion('kind', [
  /** The deployment of this content in the file storage. */
  z.object({
    kind: z.literal('site'),
    contentHash: z.string(),
    /** Whether addresses of pages end in a slash; absent: as the files say. */
    trailingSlash: z.enum(trailingSlashes).exclude(['auto']).optional(),
    /** When this content became what the host serves, in seconds since 1970: the `Last-Modified` of its files. */
    since: z.int().min(0).optional(),
    /**
     * The public key of the links that open the site (Ed25519, base64url); absent where everybody may read it. Visitors without
     * such a link get 401 for every path and method, over TLS; the plain port answers as for every site.
     */
    linkKey: z
      .string()
      .regex(/^[\w-]{43}$/)
      .optional(),
  }),
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
  /** Forwards each request to an application. The route has only what the application receives about the host; the row `originRow(origin)` the rest. */
  z.object({
    kind: z.literal('application'),
    origin: z.string(),
    /** Id of a domain; absent at `<slug>.<platform domain>`. */
    domainId: z.string().optional(),
    externalId: z.string().optional(),
    /** The metadata of the domain that the origin asks for, as JSON; at most `MAX_FORWARDED_METADATA` bytes. */
    metadata: z.string().optional(),
  }),
  /**
   * Only in the row of an origin, which has no certificate: where the applications of all hosts that name it are, and how to reach
   * them. A change is one entry of the feed, however many hosts there are.
   */
  z.object({
    kind: z.literal('origin'),
    organizationId: z.string(),
    projectId: z.string(),
    /** `https://host[:port]`, or `http:` where the operator allows it. Paths and queries are the visitor's. */
    url: z.string(),
    /** Host of the requests; absent: the visitor's. */
    hostHeader: z.string().optional(),
    /** Seconds until a connection is open, until the head of an answer, and without a byte in either direction. */
    timeouts: z.object({ connect: z.int(), answer: z.int(), idle: z.int() }),
    /** Connections of an edge at a time, which its processes divide. */
    maxConnections: z.int(),
    /** Fields to add, as a sealed JSON object, bound to `originHeadersBinding`. */
    sealedHeaders: z.string().optional(),
    /** Number of a test; 0 for none. An edge that has not reported this one sends one request and reports the result. */
    test: z.int(),
  }),
]);
export type EdgeServe = z.infer<typeof edgeServeSchema>;
/** An origin as an edge knows it. */
export type EdgeOrigin = Extract<EdgeServe, { kind: 'origin' }>;
/** The part of a host's route that names the application which answers its visitors. */
export type ServedApplication = Extract<EdgeServe, { kind: 'application' }>;

/** Bytes of the metadata that an application gets with each request. */
export const MAX_FORWARDED_METADATA = 1_024;

/** The key of an origin's row in the route table: no host can be written like this. */
export function originRow(originId: string): string {
  return `origin:${originId}`;
}

/** The id in the key of an origin's row; undefined for a host. */
export function originOfRow(row: string): string | undefined {
  return row.startsWith('origin:') ? row.slice('origin:'.length) : undefined;
}

/** The associated data of the sealed headers of an origin. */
export function originHeadersBinding(originId: string): string {
  return `origins|${originId}|headers`;
}

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

/** The host that a redirect leads to. That of a wildcard may leave the first label to the host that was asked. */
export function redirectHostOf({ to }: Extract<EdgeServe, { kind: 'redirect' }>, host: string): string {
  return isWildcard(to) ? host.slice(0, host.indexOf('.')) + to.slice(1) : to;
}

export const edgeRouteSchema = z.object({
  /** Whether the edge answers HTTP-01 challenges of this host with `token.thumbprint`. */
  answersChallenges: z.boolean(),
  /** Answers challenges in the place of the feed's thumbprint: the check of public addresses recognizes our edges by it. */
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
  /** Whether every answer asks search engines not to list it (`X-Robots-Tag: noindex`). */
  noindex: z.literal(true).optional(),
});
export type EdgeRoute = z.infer<typeof edgeRouteSchema>;

/**
 * Chooses the row of the table that answers for a host: its own, which wins also when it excludes the host or has no
 * certificate yet, or that of the wildcard that covers it.
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
  /** RFC 7638 thumbprint of the key of our accounts; null before an account is ready. */
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

/**
 * The edge feed: `GET /internal/edge/session?after=N&epoch=E&protocol=P`, upgraded to a WebSocket (RFC 6455). Every message is
 * one JSON text, and none grows with the number of names.
 *
 * 1. The edge sends an `ack` first. It registers the edge: from its commit on, a removal waits for this edge.
 * 2. The API commits it and answers with `contact`.
 * 3. The API sends the changes after version N in `batch` messages, then each change after its commit, and a `heartbeat`
 *    when nothing else was sent for 5 s. The first `batch` after the registration may be empty; it says that the edge has
 *    everything that was published before its registration.
 * 4. Where the edge cannot continue from N (another epoch, too old, too far behind), the API sends one `snapshot` and closes
 *    the session. The edge loads that snapshot from the file storage and opens a session after its version.
 */

/**
 * A batch has at most so many hosts. A larger step is sent in parts: each part has `version` equal to `after` and at least one
 * entry, and the batch that follows them has the new `version`. So a batch is complete when its `version` is newer than
 * `after` or it has no entries. The step to the first complete batch of a session includes everything that was published
 * before the registration, however many versions that are.
 */
export const MAX_BATCH_ENTRIES = 1_000;

/** No message of a session is longer. Either side closes the session (1009) when it receives a longer one. */
export const MAX_SESSION_MESSAGE_BYTES = 4 * 1024 * 1024;

/** A manifest of so many bytes lists more than 10 000 chunks, each of some thousand hosts. */
export const MAX_SNAPSHOT_MANIFEST_BYTES = 4 * 1024 * 1024;

/** The largest file of a chunk, compressed. */
export const MAX_SNAPSHOT_CHUNK_BYTES = 1024 * 1024;

/** Limits the memory for a chunk after decompression. */
export const MAX_SNAPSHOT_CHUNK_TEXT_BYTES = 4 * 1024 * 1024;

/** Hosts in one report of handshakes; the rest follow in the next one. */
export const MAX_REPORTED_HANDSHAKES = 100;

/** Results in one report; the rest follow in the next one. */
export const MAX_REPORTED_TESTS = 20;

/** Opinions in one report; the rest follow in the next one. */
export const MAX_REPORTED_HEALTH = 100;

/** Origins that edges are asked about at a time. Where there are more, each message has others. */
export const MAX_WATCHED_ORIGINS = 1_000;

const originFailureSchema = z.object({ code: z.enum(originFailures), detail: z.string().max(300) });

/** The result of an edge that asked an origin for `/`. */
const originTestSchema = z.object({
  origin: z.string().max(64),
  test: z.int(),
  /** Status of the answer; null without one. */
  status: z.int().nullable(),
  /** From the start until the head of the answer or the failure. */
  durationMs: z.int().nonnegative(),
  /** The reason why there was no answer. */
  failure: originFailureSchema.nullable(),
  /** The address that was connected to; null without one. */
  address: z.string().max(64).nullable(),
});
export type OriginTest = z.infer<typeof originTestSchema>;

/** Whether an edge can connect to an origin. */
const originOpinionSchema = z.object({
  origin: z.string().max(64),
  /** The reason why it cannot; null where it can. */
  failure: originFailureSchema.nullable(),
});
export type OriginOpinion = z.infer<typeof originOpinionSchema>;

/**
 * Reports the version that every process of the edge has applied. Sent first, after each applied batch, and as a heartbeat
 * every 5 s (more often with a short `EDGE_MAX_STALENESS`).
 */
export const edgeSessionAckSchema = z.object({
  kind: z.literal('ack'),
  edgeId: z.string().regex(/^[A-Za-z0-9-]{8,64}$/),
  epoch: z.string(),
  version: z.int().nonnegative(),
  /** The addresses for the worker's probes, `host:port`. */
  httpAddress: z.string(),
  httpsAddress: z.string(),
  /** When the edge sent it, by the edge's own clock, in milliseconds since 1970. */
  sentAtMs: z.number(),
  /** Region of the edge (`EDGE_REGION`), for the choice of edges to probe. */
  region: z.string().max(64).optional(),
  /** Prepared hosts for which a handshake came since the last report, each at most every ten seconds. */
  handshakes: z.array(z.string().max(253)).max(MAX_REPORTED_HANDSHAKES).optional(),
  /** Results of tests of origins since the last report. */
  originTests: z.array(originTestSchema).max(MAX_REPORTED_TESTS).optional(),
  /** Opinions about origins that have changed, and those that the edge has had for a minute: a report may get lost. */
  originHealth: z.array(originOpinionSchema).max(MAX_REPORTED_HEALTH).optional(),
});
export type EdgeSessionAck = z.infer<typeof edgeSessionAckSchema>;

export const edgeSessionMessageSchema = z.discriminatedUnion('kind', [
  edgeFeedBatchSchema,
  z.object({ kind: z.literal('heartbeat'), version: z.int() }),
  /**
   * The newest `sentAtMs` of an ack of this session that is committed. The edge serves until `EDGE_MAX_STALENESS` after it,
   * so it never serves longer than the database believes.
   */
  z.object({
    kind: z.literal('contact'),
    contactAtMs: z.number(),
    /**
     * Origins that some edge cannot connect to: each edge tries, and reports, until it is not asked any more. Absent: the same as
     * before; none at the start of a session.
     */
    origins: z.array(z.string().max(64)).max(MAX_WATCHED_ORIGINS).optional(),
  }),
  z.object({
    kind: z.literal('snapshot'),
    epoch: z.string(),
    /** Everything published up to this version is in the snapshot. */
    version: z.int().nonnegative(),
    /** Key of the manifest in the file storage (`snapshots/<epoch>/<version>/<build>/manifest.json`). */
    manifestKey: z.string(),
    /** SHA-256 of the manifest, hex. The edge loads nothing that this hash does not cover. */
    manifestSha256: z.string().regex(/^[0-9a-f]{64}$/),
    manifestBytes: z.int().positive().max(MAX_SNAPSHOT_MANIFEST_BYTES),
  }),
]);
export type EdgeSessionMessage = z.infer<typeof edgeSessionMessageSchema>;
export type EdgeSnapshotReference = Extract<EdgeSessionMessage, { kind: 'snapshot' }>;

const edgeSnapshotChunkSchema = z.object({
  key: z.string(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Compressed. */
  bytes: z.int().positive().max(MAX_SNAPSHOT_CHUNK_BYTES),
  /** Uncompressed. */
  textBytes: z.int().positive().max(MAX_SNAPSHOT_CHUNK_TEXT_BYTES),
  hosts: z.int().positive(),
});
export type EdgeSnapshotChunk = z.infer<typeof edgeSnapshotChunkSchema>;

/**
 * The manifest of a snapshot. Chunks are in ascending order of hosts (by bytes); each is compressed and contains lines
 * `<host> <version> <route as JSON>\n`. A line may have a newer version than the snapshot.
 */
export const edgeSnapshotManifestSchema = z.object({
  format: z.literal(1),
  epoch: z.string(),
  version: z.int().nonnegative(),
  thumbprint: z.string().nullable(),
  compression: z.literal('zstd'),
  /** In `chunks`. */
  hosts: z.int().nonnegative(),
  chunks: z.array(edgeSnapshotChunkSchema),
});
export type EdgeSnapshotManifest = z.infer<typeof edgeSnapshotManifestSchema>;
