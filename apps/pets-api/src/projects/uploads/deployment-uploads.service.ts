import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { Deployment } from '@pets/contracts';
import { findSecretContent, mayBeAppleDouble, SECRET_START_BYTES } from '@pets/domains';
import type { Database } from '@pets/persistence';
import { readWhole, RequestError, type FileStorage } from '@pets/platform';
import { contentKey, readManifest, type ListedFile } from '@pets/sites';
import { DatabaseBudget } from '../../access/limits/database-budget.service.js';
import { STORAGE } from '../../platform/providers.js';
import { readBundleRules } from '../deployments/bundle-rules.js';
import { BundleReceiver, BundleStorage, type StoredBundle } from '../deployments/bundle-storage.service.js';
import { DeploymentRegistration } from '../deployments/deployment-registration.service.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { invalidBundle, refuseSecret } from '../deployments/refused-archives.js';
import type { SiteFile } from '../deployments/site-index.service.js';
import { contentsOf, writeContents, type UnpackedFile } from '../deployments/unpack-bundle.js';
import { UploadSlots } from '../deployments/upload-slots.js';
import { ProjectsRepository, ProjectTransactions } from '../projects.repository.js';
import { DeploymentUploadsRepository, type DeploymentUploadRow } from './deployment-uploads.repository.js';
import { HeldContents } from './kept-contents.service.js';

/** An archive of files of an upload, as it arrives. */
interface ArrivingFiles {
  readonly organizationId: string;
  readonly projectId: string;
  readonly upload: DeploymentUploadRow;
  readonly archive: Readable;
}

/** Takes the files of uploads. A refused archive changes nothing. */
@Injectable()
export class UploadFiles {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly uploads: DeploymentUploadsRepository,
    private readonly budget: DatabaseBudget,
    private readonly receiver: BundleReceiver,
    private readonly registration: DeploymentRegistration,
  ) {}

  /**
   * @returns the paths that the upload still lacks
   * @throws RequestError `not_found`, `conflict`, `storage_limit_reached`, and those of `BundleReceiver`
   */
  async add({ organizationId, projectId, upload, archive }: ArrivingFiles): Promise<readonly string[]> {
    if (upload.deploymentId !== null) throw new RequestError('conflict', 'The upload is deployed already.');
    await this.budget.require(organizationId);
    const allowed = new Set(upload.allowed);
    const manifest = await readManifest(this.storage, upload.filesHash);
    const expected = new Map(manifest.map((file) => [file.path, file]));
    const checks = { allowed, accept: (file: ArrivedFile) => requireListed(expected.get(file.path), file) };
    return this.receiver.receive(organizationId, archive, checks, async ({ files }) => {
      const sent = new Map(files.map((file) => [file.path, file]));
      for (const { path } of files) if (!expected.has(path)) throw unlisted(path);
      requireAllowed(manifest, files, allowed);
      await readBundleRules(manifest, async ({ path }) => {
        const file = sent.get(path);
        return file === undefined ? null : readFile(file.unpackedAt);
      });
      await this.registration.register(organizationId, nameOf(files), contentsOf(files));
      await writeContents(this.storage, files);
      const contents = new HeldContents(manifest);
      const bits = contents.bitsOf(files.map(({ sha256 }) => sha256));
      const held = await this.uploads.addHeld(projectId, upload.id, bits);
      if (held === null) throw new RequestError('not_found', 'The upload has ended. Begin another one.');
      return contents.lackingIn(held).map(({ path }) => path);
    });
  }
}

/** A file of an archive, whose hash is known once it was read. */
type ArrivedFile = Pick<ListedFile, 'path' | 'bytes'> & Partial<Pick<ListedFile, 'sha256'>>;

function requireListed(listed: ListedFile | undefined, { path, bytes, sha256 }: ArrivedFile): void {
  if (listed === undefined) {
    // Beside the file that it describes it is left out, which only the complete archive shows.
    if (mayBeAppleDouble(path)) return;
    throw unlisted(path);
  }
  if (bytes !== listed.bytes)
    throw invalidBundle(`${path} has ${bytes} bytes, and ${listed.bytes} in the manifest of the upload.`);
  if (sha256 !== undefined && sha256 !== listed.sha256)
    throw invalidBundle(`${path} has another SHA-256 than in the manifest of the upload.`);
}

function unlisted(path: string): RequestError {
  return invalidBundle(`${path} is not in the manifest of the upload.`);
}

/** A secret that was sent for one path is no less one at another. */
function requireAllowed(
  manifest: readonly ListedFile[],
  files: readonly UnpackedFile[],
  allowed: ReadonlySet<string>,
): void {
  const secrets = new Set(files.filter(({ isSecret }) => isSecret).map(({ sha256 }) => sha256));
  const refused = manifest.find(({ path, sha256 }) => secrets.has(sha256) && !allowed.has(path));
  if (refused !== undefined) throw refuseSecret(refused.path, 'contains a private key');
}

/** The name of the bundle: the same for the same contents, and different from that of any deployment. */
function nameOf(files: readonly ListedFile[]): string {
  const hashes = [...new Set(files.map(({ sha256 }) => sha256))].sort();
  return `files-${createHash('sha256').update(hashes.join()).digest('hex')}`;
}

/** Files that a refusal names. */
const NAMED_FILES = 5;

/** The project of an upload. */
interface UploadTarget {
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
