import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { Deployment } from '@pets/contracts';
import { inTransaction, type Database } from '@pets/persistence';
import { deploymentFileKey, type FileStorage } from '@pets/platform';
import { RoutePublisher } from '../edge-feed/route-publisher.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { STORAGE } from '../providers.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { hashContents, unpackBundle } from './unpack-bundle.js';

/** Files that are kept, by their content. */
export interface StoredBundle {
  readonly contentHash: string;
  readonly files: number;
  readonly bytes: number;
}

/**
 * A deployment: the bundle is unpacked into a temporary folder, checked whole, stored by content hash, and only then
 * becomes a row and is served. If the process dies before the row, nobody has seen anything; the next upload of the same
 * files writes the same keys again.
 */
@Injectable()
export class DeploymentsService {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly projects: ProjectsRepository,
    private readonly deployments: DeploymentsRepository,
    private readonly routes: RoutePublisher,
  ) {}

  /**
   * The long part, outside any transaction: takes a bundle in and keeps its files. Repeating it changes nothing.
   * @throws DomainError `not_found`, `invalid_bundle`
   */
  async store(organizationId: string, projectId: string, bundle: Readable): Promise<StoredBundle> {
    await this.projects.get(organizationId, projectId);
    const folder = await mkdtemp(join(tmpdir(), 'pets-bundle-'));
    try {
      const files = await unpackBundle(bundle, folder);
      const contentHash = hashContents(files);
      for (const { path } of files)
        await this.storage.copyFromFs(join(folder, path), deploymentFileKey(contentHash, path));
      return { contentHash, files: files.length, bytes: files.reduce((sum, file) => sum + file.bytes, 0) };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Makes a stored bundle a deployment of its project, and has it served. */
  async publish(db: Database, projectId: string, stored: StoredBundle): Promise<Deployment> {
    return inTransaction(db, async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const deployment = await this.deployments.insert(tx, { projectId, ...stored });
      await this.routes.publish(tx, project);
      return deployment;
    });
  }
}
