import type { DeploymentAuthor, DeploymentState, DomainConfig, Hsts, OriginTest, TrailingSlash } from '@pets/contracts';
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
  /** Ascends in order of upload or activation: the highest one is served. */
  activation: Generated<bigint>;
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
  /** A person or an API key; null where nobody asked for it. The name of a person is read with it, so that it can be deleted. */
  author_kind: ColumnType<DeploymentAuthor['kind'] | null, DeploymentAuthor['kind'] | null | undefined, never>;
  author_id: ColumnType<string | null, string | null | undefined, never>;
  /** The key as lists show it. */
  author_display: ColumnType<string | null, string | null | undefined, never>;
}

export interface UploadTable {
  id: Generated<string>;
  organization_id: string;
  /** Renewed during the upload; once it has expired, the process has died. */
  lease_until: Timestamp;
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
  /** What an edge reported; null while none has. */
  test_result: JsonColumn<OriginResult> | null;
  /** Since when a test has passed: before that, visitors get the deployment. */
  served_since: Timestamp | null;
  created_at: Timestamp;
  updated_at: Timestamp;
}

/** Result of a test, with the time at which it arrived. */
export type OriginResult = Omit<OriginTest, 'origin' | 'test'> & { readonly finishedAt: string };
