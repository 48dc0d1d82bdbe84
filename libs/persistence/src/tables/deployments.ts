import type { DeploymentState } from '@pets/contracts';
import type { ColumnType, Generated } from 'kysely';
import type { CreatedAt, Timestamp } from './column-types.js';

export interface DeploymentTable {
  id: Generated<string>;
  project_id: string;
  /** Ascends in order of upload. */
  number: Generated<bigint>;
  /** Ascends in order of upload or activation: the last one is served. */
  activation: Generated<bigint>;
  state: DeploymentState;
  content_hash: string;
  files: number;
  bytes: bigint;
  /** Null for those of the version before, until they are registered, and for those whose files were given up. */
  bundle_id: ColumnType<bigint | null, bigint | null | undefined, bigint | null>;
  created_at: CreatedAt;
  collected_at: ColumnType<Date | null, undefined, Date | null>;
}

export interface UploadTable {
  id: Generated<string>;
  organization_id: string;
  /** Renewed while the upload goes on: after it, its process has died. */
  lease_until: Timestamp;
}

/** A file of the storage. */
export interface StoredObjectTable {
  id: Generated<bigint>;
  key: string;
  bytes: bigint;
  /** Null while an organization has it. */
  idle_since: Timestamp | null;
  /** While it is being deleted: until then nobody may count on the file. */
  deleting_at: Timestamp | null;
}

/** The files of one deployment, or of several of an organization that are the same. */
export interface BundleTable {
  id: Generated<bigint>;
  organization_id: string;
  content_hash: string;
  object_ids: bigint[];
  /** Null while a deployment of it is kept. */
  idle_since: Timestamp | null;
}

/** In how many of its bundles an organization has a file. */
export interface OrganizationObjectTable {
  organization_id: string;
  object_id: bigint;
  bundles: number;
}

export interface OrganizationStorageTable {
  organization_id: string;
  bytes: bigint;
}
