import { z } from 'zod';
import { edgeFeedBatchSchema } from './edge-feed.js';

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
  /** Where the edge is (`EDGE_REGION`), for the choice of edges to probe. */
  region: z.string().max(64).optional(),
  /** Prepared hosts for which a handshake came since the last report, each at most every ten seconds. */
  handshakes: z.array(z.string().max(253)).max(MAX_REPORTED_HANDSHAKES).optional(),
});
export type EdgeSessionAck = z.infer<typeof edgeSessionAckSchema>;

export const edgeSessionMessageSchema = z.discriminatedUnion('kind', [
  edgeFeedBatchSchema,
  z.object({ kind: z.literal('heartbeat'), version: z.int() }),
  /**
   * The newest `sentAtMs` of an ack of this session that is committed. The edge serves until `EDGE_MAX_STALENESS` after it,
   * so it never serves longer than the database believes.
   */
  z.object({ kind: z.literal('contact'), contactAtMs: z.number() }),
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
