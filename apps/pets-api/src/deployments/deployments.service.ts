import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { Deployment } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { deploymentFileKey, type FileStorage } from '@pets/platform';
import { RoutePublisher } from '../edge-feed/route-publisher.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { DATABASE, STORAGE } from '../providers.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { hashContents, unpackBundle } from './unpack-bundle.js';

/**
 * A deployment: the bundle is unpacked into a temporary folder, checked whole, stored by content hash, and only then
 * becomes a row and is served. If the process dies before the row, nobody has seen anything; the next upload of the same
 * files writes the same keys again.
 */
@Injectable()
export class DeploymentsService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly projects: ProjectsRepository,
    private readonly deployments: DeploymentsRepository,
    private readonly routes: RoutePublisher,
  ) {}

  async create(organizationId: string, projectId: string, bundle: Readable): Promise<Deployment> {
    await this.projects.get(organizationId, projectId);
    const folder = await mkdtemp(join(tmpdir(), 'pets-bundle-'));
    try {
      const files = await unpackBundle(bundle, folder);
      const contentHash = hashContents(files);
      for (const { path } of files)
        await this.storage.copyFromFs(join(folder, path), deploymentFileKey(contentHash, path));
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      return await this.db.transaction().execute(async (tx) => {
        const project = await this.projects.lock(tx, projectId);
        const deployment = await this.deployments.insert(tx, { projectId, contentHash, files: files.length, bytes });
        await this.routes.publish(tx, project);
        return deployment;
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}
