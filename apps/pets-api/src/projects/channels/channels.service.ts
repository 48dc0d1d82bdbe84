import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Channel, ChannelChange } from '@pets/contracts';
import { channelLabel } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { AuditLog } from '../../access/audit/audit-log.js';
import { EdgeAcknowledgements, EdgeFeed, REMOVAL_WAIT_MS } from '../../names/edge-ports.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG, DATABASE } from '../../platform/providers.js';
import { ChannelsRepository, type ChannelRow } from '../deployments/channels.repository.js';
import { DeploymentsRepository } from '../deployments/deployments.repository.js';
import { ServedChannels, ServedDeployments } from '../deployments/served-channels.service.js';
import { siteUrlOf } from '../project-presenter.js';
import { ProjectsRepository, ProjectTransactions, type ProjectRow } from '../projects.repository.js';

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

/**
 * Ends channels: at a request, which waits for the edges, and when their time is over. No row is kept of an ended channel: the
 * published end of its route says which version edges have to apply.
 */
@Injectable()
export class ChannelRemovals {
  constructor(
    private readonly transactions: ProjectTransactions,
    private readonly projects: ProjectsRepository,
    private readonly channels: ChannelsRepository,
    private readonly served: ServedDeployments,
    private readonly feed: EdgeFeed,
    private readonly acks: EdgeAcknowledgements,
    private readonly audit: AuditLog,
    @Inject(CONFIG) private readonly config: Pick<Config, 'PLATFORM_DOMAIN'>,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Removes a channel, and waits for the edges. Repeating it says at once how far they are.
   * @returns how many edges may still serve it
   * @throws RequestError `not_found`, `conflict` while domains serve it
   */
  async remove(organizationId: string, projectId: string, name: string): Promise<number> {
    const { slug } = await this.projects.get(organizationId, projectId);
    const isRemoved = await this.transactions.run([projectId], async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const channel = await this.channels.find(projectId, name, tx);
      if (channel === null) return false;
      if (channel.domains.length > 0) throw bound(channel);
      await this.channels.delete(tx, channel.id);
      await this.end(tx, project, [channel]);
      return true;
    });
    const version = await this.feed.versionOf([`${channelLabel(name, slug)}.${this.config.PLATFORM_DOMAIN}`]);
    if (version === 0) throw noSuchChannel();
    return this.acks.waitUntilStopped(version, isRemoved ? REMOVAL_WAIT_MS : 0);
  }

  /** Ends the channels whose time is over, project by project. @returns how many projects were looked at, at most `limit` */
  async endSome(limit: number): Promise<number> {
    const projectIds = await this.channels.listDueProjects(this.clock(), limit);
    for (const projectId of projectIds) {
      await this.db.transaction().execute(async (tx) => {
        const project = await this.projects.lock(tx, projectId);
        const ended = await this.channels.deleteEnded(tx, projectId, this.clock());
        if (ended.length > 0) await this.end(tx, project, ended);
      });
    }
    return projectIds.length;
  }

  private async end(tx: Tx, project: ProjectRow, ended: readonly Pick<ChannelRow, 'id' | 'name'>[]): Promise<void> {
    const { id: projectId, organizationId } = project;
    await this.audit.recordAll(
      tx,
      ended.map(({ id, name }) => ({
        ...{ organizationId, type: 'channel.removed' as const },
        subject: { kind: 'channel', id },
        detail: { name, projectId },
      })),
    );
    await this.served.change(
      tx,
      project,
      ended.map(({ name }) => name),
    );
  }
}

/** @returns `conflict`, with the names of the domains */
function bound({ name, domains }: ChannelRow): RequestError {
  const message = `Domains serve the channel ${name}: ${domains.join(', ')}. Let them serve something else first.`;
  return new RequestError('conflict', message);
}

const EVERY_MS = 10 * 60 * 1_000;
const BATCH = 100;
const FAILURE = 'channels not ended';

/** Ends the channels whose time is over. */
@Injectable()
export class ChannelsSweeper implements OnModuleInit {
  constructor(
    private readonly removals: ChannelRemovals,
    private readonly tasks: BackgroundTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat({ everyMs: EVERY_MS, failure: FAILURE, run: () => this.sweep() });
  }

  sweep(): Promise<number> {
    return this.tasks.sweep({ batch: BATCH, failure: FAILURE, clear: (limit) => this.removals.endSome(limit) });
  }
}
