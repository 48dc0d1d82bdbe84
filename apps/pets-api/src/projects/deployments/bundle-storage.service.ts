import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { forEachConcurrent } from '@pets/async';
import type { IgnoredFiles } from '@pets/contracts';
import type { FileStorage } from '@pets/platform';
import { contentKey, encodeSiteIndex, indexKey } from '@pets/sites';
import { DatabaseBudget } from '../../access/limits/database-budget.service.js';
import { STORAGE } from '../../platform/providers.js';
import { ProjectsRepository } from '../projects.repository.js';
import type { WantedObject } from './bundles.repository.js';
import { DeploymentRegistration } from './deployment-registration.service.js';
import { uploadProgress } from '../../http/require-progress.js';
import { readBundleRules } from './bundle-rules.js';
import { SiteIndexBuilder } from './site-index.service.js';
import { hashContents, unpackBundle, type UnpackedFile } from './unpack-bundle.js';
import { deleteUploadFolder, makeUploadFolder } from './upload-folders.js';
import { UploadSlots } from './upload-slots.js';
import { UploadSpace } from './upload-space.js';

/** Concurrent writes, since each to a remote bucket is slow. */
const CONCURRENT_WRITES = 16;

/** The stored files of a deployment. */
export interface StoredBundle {
  /** The name of the index. */
  readonly contentHash: string;
  readonly filesHash: string;
  readonly bundleId: bigint;
  readonly files: number;
  readonly bytes: number;
  readonly ignored: IgnoredFiles;
}

/** An upload, as it arrives. */
export interface Upload {
  readonly organizationId: string;
  readonly projectId: string;
  readonly bundle: Readable;
  /** Files that are published although they would be refused or left out. */
  readonly allowed: ReadonlySet<string>;
}

/** Unpacks, checks and stores uploaded bundles, before a deployment is created from them. */
@Injectable()
export class BundleStorage {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly projects: ProjectsRepository,
    private readonly slots: UploadSlots,
    private readonly space: UploadSpace,
    private readonly registration: DeploymentRegistration,
    private readonly indexes: SiteIndexBuilder,
    private readonly budget: DatabaseBudget,
  ) {}

  /**
   * The slow part of a deployment, outside any transaction. Repeating it changes nothing.
   * @throws RequestError `not_found`, `rate_limited`, `storage_limit_reached`, and those of `unpackBundle`
   */
  async store(upload: Upload): Promise<StoredBundle> {
    const { organizationId, projectId } = upload;
    await this.projects.get(organizationId, projectId);
    await this.budget.require(organizationId);
    return this.slots.run(organizationId, () => this.unpackAndStore(upload));
  }

  private async unpackAndStore({ organizationId, projectId, bundle, allowed }: Upload): Promise<StoredBundle> {
    const space = this.space.reserve(organizationId);
    const folder = await makeUploadFolder();
    try {
      const upload = { progress: uploadProgress, space, allowed };
      const { files: unpacked, ignored } = await unpackBundle(bundle, folder, upload);
      const { files, rules } = await readBundleRules(unpacked);
      const filesHash = hashContents(unpacked);
      const { contentHash, files: index } = await this.indexes.build(projectId, files, filesHash);
      const key = indexKey(contentHash);
      const encoded = encodeSiteIndex(contentHash, index, rules);
      const objects = [...objectsOf(files), { key, bytes: encoded.length }];
      const bundleId = await this.registration.register(organizationId, contentHash, objects);
      await this.storeContents(files);
      await this.storage.write(key, encoded);
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      return { contentHash, filesHash, bundleId, files: files.length, bytes, ignored };
    } finally {
      await deleteUploadFolder(folder);
      space.release();
    }
  }

  /** Skips contents that are stored already, for this deployment or another. */
  private async storeContents(files: readonly UnpackedFile[]): Promise<void> {
    const contents = new Map(files.map((file) => [file.sha256, file])).values();
    await forEachConcurrent(contents, CONCURRENT_WRITES, async ({ sha256, bytes, unpackedAt }) => {
      const key = contentKey(sha256);
      if ((await this.storage.find(key)) !== bytes) await this.storage.copyFromFs(unpackedAt, key);
    });
  }
}

/** Files with the same content are one object. */
function objectsOf(files: readonly UnpackedFile[]): WantedObject[] {
  const contents = new Map(files.map(({ sha256, bytes }) => [contentKey(sha256), bytes]));
  return [...contents].map(([key, bytes]) => ({ key, bytes }));
}
