import { Inject, Injectable } from '@nestjs/common';
import type { Channel, ChannelChange } from '@pets/contracts';
import { channelLabel } from '@pets/domains';
import { RequestError } from '@pets/platform';
import type { Config } from '../../platform/config.js';
import { CONFIG } from '../../platform/providers.js';
import { siteUrlOf } from '../project-presenter.js';
import { ProjectsRepository, ProjectTransactions } from '../projects.repository.js';
import { ChannelsRepository, type ChannelRow } from '../deployments/channels.repository.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';
import { ServedChannels } from '../deployments/served-channels.service.js';

/** Channels of projects, for their owners. */
@Injectable()
export class ChannelsService {
  constructor(
    private readonly transactions: ProjectTransactions,
    private readonly projects: ProjectsRepository,
    private readonly deployments: DeploymentsRepository,
    private readonly channels: ChannelsRepository,
    private readonly served: ServedChannels,
    @Inject(CONFIG) private readonly config: Pick<Config, 'PLATFORM_DOMAIN' | 'PUBLIC_HTTPS_PORT'>,
  ) {}

  async list(organizationId: string, projectId: string): Promise<Channel[]> {
    const { slug } = await this.projects.get(organizationId, projectId);
    return (await this.channels.list(projectId)).map((row) => this.present(row, slug));
  }

  /** @throws RequestError `not_found` */
  async get(organizationId: string, projectId: string, name: string): Promise<Channel> {
    const { slug } = await this.projects.get(organizationId, projectId);
    const row = await this.channels.find(projectId, name);
    if (row === null) throw noSuchChannel();
    return this.present(row, slug);
  }

  /**
   * Serves another deployment on a channel or lets others read it, and renews it.
   * @throws RequestError `not_found`, `deployment_collected`, and as `ServedChannels.serve`
   */
  async put(
    organizationId: string,
    projectId: string,
    name: string,
    { deploymentId, access }: ChannelChange,
  ): Promise<{ readonly channel: Channel; readonly isNew: boolean }> {
    await this.projects.get(organizationId, projectId);
    return this.transactions.run([projectId], async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const served =
        deploymentId === undefined
          ? (await this.channels.find(projectId, name, tx))?.deploymentId
          : (await this.deployments.getKept(tx, projectId, deploymentId)).id;
      if (served === undefined)
        throw new RequestError('not_found', 'There is no such channel. Send a deploymentId to create it.');
      const { row, isNew } = await this.served.serve(tx, project, name, served, access);
      return { channel: this.present(row, project.slug), isNew };
    });
  }

  private present({ name, projectId, deploymentId, access, domains, ...row }: ChannelRow, slug: string): Channel {
    const url = siteUrlOf(`${channelLabel(name, slug)}.${this.config.PLATFORM_DOMAIN}`, this.config);
    return {
      ...{ name, projectId, deploymentId, url, access, domains },
      createdAt: row.createdAt.toISOString(),
      updatedAt: row.updatedAt.toISOString(),
      expiresAt: domains.length > 0 ? null : row.endsAt.toISOString(),
    };
  }
}

export function noSuchChannel(): RequestError {
  return new RequestError('not_found', 'There is no such channel in this project.');
}
