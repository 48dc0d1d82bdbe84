import type {
  ChannelAccess,
  DeploymentAuthor,
  DeploymentSource,
  DeploymentState,
  DomainConfig,
  Hsts,
  IgnoredFiles,
  OriginHealthState,
  OriginOpinion,
  OriginTest,
  TrailingSlash,
} from '@pets/contracts';
import type { ColumnType, Generated } from 'kysely';
import type { CreatedAt, JsonColumn, JsonWithDefault, Timestamp } from './column-types.js';

export interface ProjectTable {
  id: Generated<string>;
  organization_id: string;
  name: string;
  slug: string;
  domain_config: JsonWithDefault<DomainConfig>;
  /** Strict-Transport-Security; null for none. */
  hsts: ColumnType<Hsts | null, string | null | undefined, string | null>;
  trailing_slash: Generated<TrailingSlash>;
  /** Number of the newest history entry of the project. */
  event_number: Generated<bigint>;
  /** Number of changes of its domains without a history entry. */
  change_number: Generated<bigint>;
  created_at: CreatedAt;
}

export interface DeploymentTable {
  id: Generated<string>;
  project_id: string;
  /** Ascends in order of upload. */
  number: Generated<bigint>;
  /** Ascends in order of upload or activation: the project serves the highest one. Null: it was only on channels. */
  activation: ColumnType<bigint | null, bigint | null | undefined, bigint>;
  state: DeploymentState;
  /** The name of its index. */
  content_hash: string;
  /** Hash of its paths and contents. */
  files_hash: string;
  files: number;
  bytes: bigint;
  /** Null after its files were released. */
  bundle_id: ColumnType<bigint | null, bigint | null | undefined, null>;
  created_at: CreatedAt;
  collected_at: ColumnType<Date | null, undefined, Date | null>;
  /** Words of its author. */
  message: ColumnType<string | null, string | null | undefined, never>;
  /** Branch, commit and URL, in words of its author. */
  source: ColumnType<DeploymentSource | null, string | null | undefined, never>;
  /** A person or an API key; null where nobody asked for it. The name of a person is read with it, so that it can be deleted. */
  author_kind: ColumnType<DeploymentAuthor['kind'] | null, DeploymentAuthor['kind'] | null | undefined, never>;
  author_id: ColumnType<string | null, string | null | undefined, never>;
  /** The key as lists show it. */
  author_display: ColumnType<string | null, string | null | undefined, never>;
}

/** An address of a project that serves one deployment. */
export interface ChannelTable {
  id: Generated<string>;
  project_id: string;
  name: string;
  deployment_id: string;
  created_at: CreatedAt;
  /** When it was last deployed to, changed or renewed. */
  updated_at: Timestamp;
  /** When it ends, unless a domain serves it. */
  ends_at: Timestamp;
  /** The public key of the links that open it (Ed25519, base64url); null where everybody may read it. */
  link_key: ColumnType<string | null, string | null | undefined, string | null>;
  /** The private key, encrypted; null without. */
  sealed_link_key: ColumnType<string | null, string | null | undefined, string | null>;
}

export interface UploadTable {
  id: Generated<string>;
  organization_id: string;
  /** Renewed during the upload; once it has expired, the process has died. */
  lease_until: Timestamp;
}

/** A deployment whose files are being sent: those that its project lacks. */
export interface DeploymentUploadTable {
  id: Generated<string>;
  organization_id: string;
  project_id: string;
  /** The name of its manifest. */
  files_hash: string;
  /** A bit for each content of the manifest, in order of their hashes: whether the project has it. */
  held: Buffer;
  /** Paths of files that are published although they would be refused or left out. */
  allowed: string[];
  ignored: JsonColumn<IgnoredFiles>;
  message: string | null;
  source: ColumnType<DeploymentSource | null, string | null, never>;
  channel: string | null;
  access: ChannelAccess | null;
  expires_at: Timestamp;
  /** Null until it is deployed. */
  deployment_id: string | null;
}

/** A file in the storage. */
export interface StoredObjectTable {
  id: Generated<bigint>;
  key: string;
  bytes: bigint;
  /** Null while an organization uses it. */
  idle_since: Timestamp | null;
  /** Set while it is being deleted: uploads must not use the file. */
  deleting_at: Timestamp | null;
}

/** The files of a deployment; deployments of an organization with the same files share it. */
export interface BundleTable {
  id: Generated<bigint>;
  organization_id: string;
  /** The name of its index. */
  content_hash: string;
  object_ids: bigint[];
  /** Null while it has a kept deployment. */
  idle_since: Timestamp | null;
}

/** How many bundles of an organization contain a file. */
export interface OrganizationObjectTable {
  organization_id: string;
  object_id: bigint;
  bundles: number;
}

export interface OrganizationStorageTable {
  organization_id: string;
  bytes: bigint;
}

/** The application that answers for a project. */
export interface OriginTable {
  id: Generated<string>;
  organization_id: string;
  project_id: string;
  /** The domain of the project that it answers for; null for all that have none of their own. */
  domain_id: string | null;
  /** Name of the domain, which never changes: so routes are published without reading the table of domains for it. */
  domain_name: string | null;
  url: string;
  /** Null: the host of the visitor. */
  host_header: string | null;
  timeouts: JsonColumn<{ readonly connect: number; readonly answer: number; readonly idle: number }>;
  header_names: string[];
  /** A JSON object of the headers; empty without any. */
  sealed_headers: string;
  metadata_keys: string[];
  max_connections: number;
  /** Number of its newest test. */
  test: Generated<number>;
  test_started_at: Timestamp;
  /** When the edges were last asked: again if none answered. */
  test_sent_at: Timestamp;
  /** Report of an edge; null while there is none. */
  test_result: JsonColumn<OriginResult> | null;
  /** Time at which a test first passed: before it, visitors get what they would without it. */
  served_since: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** State of an origin by the votes of the edges, and what its owner was told. */
export interface OriginHealthTable {
  origin_id: string;
  state: Generated<OriginHealthState>;
  /** When a majority began to say so; null: it has never changed. */
  since: Timestamp | null;
  /** Reason of most edges that say that it fails. */
  failure: JsonColumn<NonNullable<OriginOpinion['failure']>> | null;
  /** Time since which a majority says the opposite of `state`. */
  opposite_since: Timestamp | null;
  /** The state in the last event. */
  announced: Generated<OriginHealthState>;
  announced_at: Timestamp | null;
  /** Whether the edges are asked about it. */
  is_watched: Generated<boolean>;
  /** Number of the last webhook event about the origin. */
  event_sequence: Generated<bigint>;
  /** Project of the last event: the origin may be in another one by now. */
  project_id: string | null;
  /** `change_number` of that project. */
  change_number: Generated<bigint>;
}

/** The opinion of an edge about a watched origin; it counts while the edge is in contact. */
export interface OriginVoteTable {
  origin_id: string;
  edge_id: string;
  /** Null: the edge can connect. */
  failure: JsonColumn<NonNullable<OriginOpinion['failure']>> | null;
}

/** Result of a test, with the time at which it arrived. */
export type OriginResult = Omit<OriginTest, 'origin' | 'test'> & { readonly finishedAt: string };
