import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Deployment } from '@pets/contracts';
import { findSecretContent, SECRET_START_BYTES } from '@pets/domains';
import type { Database } from '@pets/persistence';
import { readWhole, RequestError, type FileStorage } from '@pets/platform';
import { contentKey, readManifest, type ListedFile } from '@pets/sites';
import { DatabaseBudget } from '../../access/limits/database-budget.service.js';
import { STORAGE } from '../../platform/providers.js';
import { readBundleRules } from '../deployments/bundle-rules.js';
import { BundleStorage, type StoredBundle } from '../deployments/bundle-storage.service.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import type { SiteFile } from '../deployments/site-index.service.js';
import { UploadSlots } from '../deployments/upload-slots.js';
import { ProjectsRepository, ProjectTransactions } from '../projects.repository.js';
import { DeploymentUploadsRepository, type DeploymentUploadRow } from './deployment-uploads.repository.js';
import { HeldContents } from './kept-contents.service.js';

/** Files that a refusal names. */
const NAMED_FILES = 5;

/** The project of an upload. */
export interface UploadTarget {
  readonly organizationId: string;
  readonly projectId: string;
}

/** Makes deployments of uploads, with the same result as an archive of all files. */
@Injectable()
export class UploadCompletion {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly projects: ProjectsRepository,
    private readonly transactions: ProjectTransactions,
    private readonly budget: DatabaseBudget,
    private readonly slots: UploadSlots,
    private readonly bundles: BundleStorage,
    private readonly deployments: DeploymentsRepository,
    private readonly service: DeploymentsService,
    private readonly uploads: DeploymentUploadsRepository,
  ) {}

  /**
   * The slow part, outside any transaction. Repeating it changes nothing.
   * @throws RequestError `upload_incomplete`, `rate_limited`, `invalid_bundle`, `storage_limit_reached`
   */
  async store({ organizationId, projectId }: UploadTarget, upload: DeploymentUploadRow): Promise<StoredBundle> {
    await this.budget.require(organizationId);
    return this.slots.run(organizationId, async () => {
      const manifest = await readManifest(this.storage, upload.filesHash);
      requireComplete(new HeldContents(manifest).lackingIn(upload.held));
      const allowed = new Set(upload.allowed);
      const files: SiteFile[] = [];
      for (const file of manifest)
        files.push({ ...file, isSecret: allowed.has(file.path) && (await this.isSecret(file)) });
      const published = await readBundleRules(files, (file) => this.read(file, file.bytes));
      const site = { organizationId, projectId, files, published, ignored: upload.ignored };
      return this.bundles.storeSite(site, () => Promise.resolve());
    });
  }

  /** Creates and serves the deployment; where that was done already, returns it. @throws RequestError `not_found` */
  async deploy(db: Database, projectId: string, uploadId: string, stored: StoredBundle | null): Promise<Deployment> {
    return this.transactions.run(
      [projectId],
      async (tx) => {
        const project = await this.projects.lock(tx, projectId);
        const upload = await this.uploads.lock(tx, projectId, uploadId);
        const deployed = upload?.deploymentId ?? null;
        const existing = deployed === null ? null : await this.deployments.find(tx, projectId, deployed);
        if (existing !== null) return existing;
        if (upload === null || stored === null) throw new RequestError('not_found', 'The upload has ended.');
        const id = randomUUID();
        await this.uploads.setDeployment(tx, uploadId, id);
        return this.service.publishIn(tx, project, stored, upload, id);
      },
      db,
    );
  }

  /** Only allowed files can be, so few are read. */
  private async isSecret(file: ListedFile): Promise<boolean> {
    const start = await this.read(file, Math.min(file.bytes, SECRET_START_BYTES));
    return findSecretContent(start) !== null;
  }

  private async read({ sha256 }: ListedFile, bytes: number): Promise<Buffer> {
    if (bytes === 0) return Buffer.alloc(0);
    return readWhole(await this.storage.read(contentKey(sha256), { first: 0, last: bytes - 1 }), bytes);
  }
}

function requireComplete(lacking: readonly ListedFile[]): void {
  if (lacking.length === 0) return;
  const names = lacking.slice(0, NAMED_FILES).map(({ path }) => path);
  const more = lacking.length > names.length ? ' and more' : '';
  const count = lacking.length === 1 ? '1 file is' : `${lacking.length} files are`;
  throw new RequestError('upload_incomplete', `${count} lacking: ${names.join(', ')}${more}.`);
}
