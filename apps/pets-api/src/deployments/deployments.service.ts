import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { Deployment, DeploymentState } from '@pets/contracts';
import { inTransaction, type Database } from '@pets/persistence';
import { contentKey, DomainError, writeSiteIndex, type FileStorage } from '@pets/platform';
import { RoutePublisher } from '../edge-feed/route-publisher.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { STORAGE } from '../providers.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { hashContents, unpackBundle, type UnpackedFile } from './unpack-bundle.js';

/** Contents that are stored at a time: a bucket far away takes its time for each. */
const STORED_AT_A_TIME = 16;

const servedStates: readonly DeploymentState[] = ['ready'];

/** Files that are kept, by their content. */
export interface StoredBundle {
  readonly contentHash: string;
  readonly files: number;
  readonly bytes: number;
}

/**
 * A deployment: the bundle is unpacked into a temporary folder, checked whole, stored by content hash, and only then
 * becomes a row and is served. If the process dies before the row, nobody has seen anything; the next upload of the same
 * files writes the same keys again. Nothing is ever deleted, so that every deployment can be served again.
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
      await this.keepContents(files);
      const index = new Map(files.map(({ path, sha256, bytes }) => [path, { sha256, bytes }]));
      await writeSiteIndex(this.storage, contentHash, index);
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
      await this.routes.publish(tx, [project]);
      return deployment;
    });
  }

  /**
   * Has a deployment served that is kept, at once: one row changes, and no file moves.
   * @throws DomainError `not_found`, also for a deployment of another project; `conflict` when it is not ready
   */
  async activate(db: Database, projectId: string, id: string): Promise<Deployment> {
    return inTransaction(db, async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const deployment = await this.deployments.find(tx, projectId, id);
      if (deployment === null) throw new DomainError('not_found', 'There is no such deployment of this project.');
      if (!servedStates.includes(deployment.state))
        throw new DomainError('conflict', `The deployment is ${deployment.state}; only a ready one can be served.`);
      if (deployment.active) return deployment;
      await this.deployments.activate(tx, id);
      await this.routes.publish(tx, [project]);
      return { ...deployment, active: true };
    });
  }

  /** What is kept already, of this deployment or of others, is not written again. */
  private async keepContents(files: readonly UnpackedFile[]): Promise<void> {
    const contents = [...new Map(files.map((file) => [file.sha256, file])).values()].values();
    const keepNext = async () => {
      for (const { sha256, bytes, unpackedAt } of contents) {
        const key = contentKey(sha256);
        if ((await this.storage.find(key)) !== bytes) await this.storage.copyFromFs(unpackedAt, key);
      }
    };
    await Promise.all(Array.from({ length: STORED_AT_A_TIME }, keepNext));
  }
}
