import { Inject, Injectable } from '@nestjs/common';
import { listedChanges, type DeploymentChanges } from '@pets/contracts';
import { RequestError, type FileStorage } from '@pets/platform';
import { compareManifests, readManifest } from '@pets/sites';
import { STORAGE } from '../../platform/providers.js';
import { DeploymentsRepository } from './deployments.repository.js';

/** The files in which deployments of a project differ, by their manifests. */
@Injectable()
export class DeploymentComparison {
  constructor(
    private readonly deployments: DeploymentsRepository,
    @Inject(STORAGE) private readonly storage: FileStorage,
  ) {}

  /**
   * @param since the deployment to compare with; undefined for the kept one before it
   * @throws RequestError `not_found`, `deployment_collected`
   */
  async compare(projectId: string, id: string, since: string | undefined): Promise<DeploymentChanges> {
    const after = await this.require(projectId, id);
    const before =
      since === undefined
        ? await this.deployments.findKeptBefore(projectId, after.number)
        : await this.require(projectId, since);
    const [earlier, later] = [before === null ? [] : await this.read(before), await this.read(after)];
    const { added, changed, removed } = compareManifests(earlier, later);
    const list = (paths: readonly string[]) => ({ count: paths.length, paths: paths.slice(0, listedChanges) });
    return { since: before?.id ?? null, added: list(added), changed: list(changed), removed: list(removed) };
  }

  private read({ filesHash }: { readonly filesHash: string }) {
    return readManifest(this.storage, filesHash);
  }

  private async require(projectId: string, id: string) {
    const deployment = await this.deployments.findListed(projectId, id);
    if (deployment === null) throw new RequestError('not_found', 'There is no such deployment of this project.');
    if (deployment.state === 'collected')
      throw new RequestError('deployment_collected', 'The files of one of the deployments were deleted.');
    return deployment;
  }
}
