import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { mayBeAppleDouble } from '@pets/domains';
import { RequestError, type FileStorage } from '@pets/platform';
import { readManifest, type ListedFile } from '@pets/sites';
import { DatabaseBudget } from '../../access/limits/database-budget.service.js';
import { STORAGE } from '../../platform/providers.js';
import { BundleReceiver } from '../deployments/bundle-storage.service.js';
import { readBundleRules } from '../deployments/bundle-rules.js';
import { DeploymentRegistration } from '../deployments/deployment-registration.service.js';
import { invalidBundle, refuseSecret } from '../deployments/refused-archives.js';
import { contentsOf, writeContents, type UnpackedFile } from '../deployments/unpack-bundle.js';
import { DeploymentUploadsRepository, type DeploymentUploadRow } from './deployment-uploads.repository.js';
import { HeldContents } from './kept-contents.service.js';

/** An archive of files of an upload, as it arrives. */
export interface ArrivingFiles {
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
