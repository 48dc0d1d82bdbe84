import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  listedChanges,
  type AuditEventType,
  type ChannelAccess,
  type Deployment,
  type DeploymentChanges,
  type DeploymentSource,
  type NewDeployment,
} from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { RequestError, type FileStorage } from '@pets/platform';
import { compareManifests, readManifest } from '@pets/sites';
import { AuditLog } from '../../access/audit/audit-log.js';
import { currentRequester } from '../../access/audit/requester.js';
import { STORAGE } from '../../platform/providers.js';
import { ProjectsRepository, ProjectTransactions, type ProjectRow } from '../projects.repository.js';
import type { StoredBundle } from './bundle-storage.service.js';
import { BundlesRepository } from './bundles.repository.js';
import { DeploymentsRepository } from './deployments.repository.js';
import { ServedChannels, ServedDeployments } from './served-channels.service.js';

/** Words of its author about a deployment, and the place where it is served. */
export interface DeploymentDetails {
  readonly message: string | null;
  readonly source: DeploymentSource | null;
  /** The channel that serves it; null for the active deployment. */
  readonly channel: string | null;
  /** Visitors who may read that channel from now on; null leaves it as it is. */
  readonly access: ChannelAccess | null;
}

/** The details in the query of an upload. @throws RequestError `invalid_parameter` */
export function detailsOf(given: NewDeployment): DeploymentDetails {
  const { message, branch, commit, sourceUrl, channel, access } = given;
  if (access !== undefined && channel === undefined)
    throw RequestError.ofField('invalid_parameter', 'access', 'is of a channel: name one in `channel`.');
  const source = { branch: branch ?? null, commit: commit ?? null, url: sourceUrl ?? null };
  const hasSource = Object.values(source).some((each) => each !== null);
  return {
    message: message ?? null,
    source: hasSource ? source : null,
    channel: channel ?? null,
    access: access ?? null,
  };
}

/**
 * Deployments of projects. A bundle is unpacked into a temporary folder, checked completely and stored by content hash.
 * Only then the deployment gets its row and is served. When the process dies before, nothing is visible, and the next upload
 * of the same files writes the same keys again. `deployment-collection.service.ts` describes when files are deleted.
 */
@Injectable()
export class DeploymentsService {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly deployments: DeploymentsRepository,
    private readonly audit: AuditLog,
    private readonly bundles: BundlesRepository,
    private readonly served: ServedDeployments,
    private readonly channels: ServedChannels,
    private readonly transactions: ProjectTransactions,
  ) {}

  /**
   * Creates a deployment from a stored bundle, and serves it: on a channel, or as the active one. Its author is who asks.
   * @throws RequestError as `ServedChannels.serve`
   */
  async publish(
    db: Database,
    projectId: string,
    stored: StoredBundle,
    details: DeploymentDetails,
  ): Promise<Deployment> {
    return this.transactions.run(
      [projectId],
      async (tx) => this.publishIn(tx, await this.projects.lock(tx, projectId), stored, details),
      db,
    );
  }

  /**
   * The same in a transaction that holds the lock of the project. Call it last.
   * @param id of the new deployment, if it was chosen before
   */
  async publishIn(
    tx: Tx,
    project: ProjectRow,
    stored: StoredBundle,
    { message, source, channel, access }: DeploymentDetails,
    id: string = randomUUID(),
  ): Promise<Deployment> {
    await this.bundles.keep(tx, stored.bundleId);
    const described = { id, projectId: project.id, message, source, isActivated: channel === null };
    const deployment = await this.deployments.insert(tx, { ...described, ...stored }, currentRequester());
    await this.record(tx, project, 'deployment.created', deployment);
    if (channel === null) {
      await this.served.change(tx, project);
      return deployment;
    }
    await this.channels.serve(tx, project, channel, deployment.id, access ?? undefined);
    return { ...deployment, channels: [channel] };
  }

  /**
   * Serves a kept deployment again: one row changes, and no file is copied.
   * @throws RequestError `not_found`, also for a deployment of another project; `deployment_collected`
   */
  async activate(db: Database, projectId: string, id: string): Promise<Deployment> {
    return this.transactions.run(
      [projectId],
      async (tx) => {
        const project = await this.projects.lock(tx, projectId);
        const deployment = await this.deployments.getKept(tx, projectId, id);
        if (deployment.active) return deployment;
        await this.deployments.activate(tx, id);
        await this.record(tx, project, 'deployment.activated', deployment);
        await this.served.change(tx, project);
        return { ...deployment, active: true };
      },
      db,
    );
  }

  /**
   * Gives up the files of a deployment.
   * @throws RequestError `not_found`, `conflict` for one that is served
   */
  async delete(projectId: string, id: string): Promise<void> {
    await this.transactions.run([projectId], async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const deployment = await this.deployments.find(tx, projectId, id);
      if (deployment === null) throw new RequestError('not_found', 'There is no such deployment of this project.');
      if (deployment.active)
        throw new RequestError('conflict', 'The deployment is active. Deploy or activate another one first.');
      const [channel] = deployment.channels;
      if (channel !== undefined)
        throw new RequestError('conflict', `The channel ${channel} serves the deployment. Remove the channel first.`);
      if (deployment.state === 'collected') return;
      await this.deployments.collect(tx, id);
      await this.record(tx, project, 'deployment.deleted', deployment);
    });
  }

  private async record(
    tx: Tx,
    { id: projectId, organizationId }: ProjectRow,
    type: AuditEventType,
    { id, contentHash, files }: Deployment,
  ): Promise<void> {
    const event = { organizationId, type, subject: { kind: 'deployment', id } } as const;
    await this.audit.record(tx, { ...event, detail: { projectId, contentHash, files } });
  }
}

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
