import type { EdgeRoute } from '@pets/contracts';
import type { Generated } from 'kysely';
import type { JsonColumn, Timestamp } from './column-types.js';

/** One row: the counter of the edge feed. Locked last in a transaction, so that versions commit in order. */
export interface EdgeFeedTable {
  epoch: Generated<string>;
  version: Generated<bigint>;
  thumbprint: string | null;
  /** When its announcement was signed; null before the first one. */
  thumbprint_at: Timestamp | null;
  /** Id of the issued certificate of `*.<platform domain>`; null while there is none. */
  platform_certificate: string | null;
  /** The database cluster of this epoch: its system identifier and timeline. Null until it is known. */
  cluster: string | null;
  /** Removed hosts up to this version may have been deleted: a reader before it needs a snapshot. */
  compacted_version: Generated<bigint>;
}

/** The newest state of each host; `route` is null when the host is no longer served. */
export interface EdgeRouteTable {
  host: string;
  project_id: string;
  version: bigint;
  route: JsonColumn<EdgeRoute> | null;
  /** The trace of its last change. */
  traceparent: string | null;
}

/** A snapshot of `edge_routes` in the file storage. Deleted after its files. */
export interface EdgeSnapshotTable {
  id: string;
  epoch: string;
  version: bigint;
  /** Files of chunks that may exist. */
  chunks: Generated<number>;
  started_at: Generated<Date>;
  /** Null until it is complete, like the columns after it. */
  finished_at: Timestamp | null;
  hosts: bigint | null;
  /** All its files together. */
  bytes: bigint | null;
  manifest_sha256: string | null;
  manifest_bytes: number | null;
  /** The deletion of its files has begun: nobody may load it. */
  deleting_at: Timestamp | null;
}

export interface EdgeTable {
  id: string;
  epoch: string;
  acked_version: bigint;
  http_address: string;
  https_address: string;
  last_contact_at: Timestamp;
  /** The session that registered it last: acknowledgements of any other are dropped. */
  session_id: string;
  /** `EDGE_REGION`; null where the edge has none. */
  region: string | null;
  /** Probes in a row that it failed while other edges passed. */
  probe_failures: Generated<number>;
}

/** An address at which the platform answers visitors, and nobody else does. */
export interface PublicAddressTable {
  address: string;
  /** Time since which it is no longer offered; null while it is. */
  retiring_since: Timestamp | null;
  added_at: Generated<Date>;
}
