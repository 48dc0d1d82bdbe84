import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { NewDeployment } from '@pets/contracts';
import type { FileStorage } from '@pets/platform';
import { encodeManifest, manifestKey } from '@pets/sites';
import { DatabaseBudget } from '../../access/limits/database-budget.service.js';
import { STORAGE } from '../../platform/providers.js';
import { readBundleRules } from '../deployments/bundle-rules.js';
import { DeploymentRegistration } from '../deployments/deployment-registration.service.js';
import { detailsOf } from '../deployments/deployments.service.js';
import { invalidBundle } from '../deployments/refused-archives.js';
import { UploadSlots } from '../deployments/upload-slots.js';
import { ProjectsRepository } from '../projects.repository.js';
import type { NewDeploymentUpload } from './deployment-uploads.repository.js';
import { HeldContents, KeptContents } from './kept-contents.service.js';
import { readManifestBody, type Manifest } from './manifest-body.js';

/** A manifest, as it arrives. */
export interface ArrivingManifest {
  readonly organizationId: string;
  readonly projectId: string;
  readonly body: Readable;
  readonly isGzipped: boolean;
  readonly query: NewDeployment;
}

/** An upload before it has an id, and the paths that it lacks. */
export interface CheckedUpload extends NewDeploymentUpload {
  readonly lacking: readonly string[];
}

/** Checks and stores manifests, before an upload is created from them. */
@Injectable()
export class UploadOpening {
  constructor(
    @Inject(STORAGE) private readonly storage: FileStorage,
    private readonly projects: ProjectsRepository,
    private readonly budget: DatabaseBudget,
    private readonly slots: UploadSlots,
    private readonly kept: KeptContents,
    private readonly registration: DeploymentRegistration,
  ) {}

  /**
   * Runs outside any transaction. Repeating it changes nothing.
   * @throws RequestError `not_found`, `rate_limited`, `storage_limit_reached`, and those of `readManifestBody`
   */
  async check({ organizationId, projectId, body, isGzipped, query }: ArrivingManifest): Promise<CheckedUpload> {
    await this.projects.get(organizationId, projectId);
    await this.budget.require(organizationId);
    return this.slots.run(organizationId, async () => {
      const { allow: allowed = new Set(), ...given } = query;
      const details = detailsOf(given);
      const manifest = await readManifestBody(body, isGzipped, allowed);
      // What can be known without the contents.
      await readBundleRules(manifest.files, () => Promise.resolve(null));
      const contents = new HeldContents(manifest.files);
      const kept = await this.kept.find(projectId, contents.hashes);
      requireTrueSizes(manifest, kept);
      const held = contents.bitsOf(kept.keys());
      return {
        ...{ organizationId, projectId, held, allowed: [...allowed], ignored: manifest.ignored },
        filesHash: await this.storeManifest(organizationId, manifest),
        details,
        lacking: contents.lackingIn(held).map(({ path }) => path),
      };
    });
  }

  /** Stores it as a bundle without a deployment, which is deleted after a day. */
  private async storeManifest(organizationId: string, { files }: Manifest): Promise<string> {
    const { filesHash, gzipped } = await encodeManifest(files);
    const key = manifestKey(filesHash);
    await this.registration.register(organizationId, `manifest-${filesHash}`, [{ key, bytes: gzipped.length }]);
    await this.storage.write(key, gzipped);
    return filesHash;
  }
}

function requireTrueSizes({ files }: Manifest, kept: ReadonlyMap<string, number>): void {
  for (const { path, sha256, bytes } of files) {
    const known = kept.get(sha256) ?? bytes;
    if (known !== bytes)
      throw invalidBundle(`${path} has ${bytes} bytes in the manifest, and ${known} by its SHA-256.`);
  }
}
