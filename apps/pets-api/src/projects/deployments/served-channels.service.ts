import { Inject, Injectable } from '@nestjs/common';
import type { ChannelAccess } from '@pets/contracts';
import { channelLabel, MAX_LABEL_LENGTH } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { AuditLog } from '../../access/audit/audit-log.js';
import { LimitsService } from '../../access/limits/limits.service.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG } from '../../platform/providers.js';
import type { ProjectRow } from '../projects.repository.js';
import { ReservedSlugs } from '../reserved-slugs.js';
import { RoutePublisher } from '../route-publisher.js';
import { ChannelsRepository, sealNewLinkKeys, type ChannelRow } from './channels.repository.js';
import { DeploymentsRepository } from './deployments.repository.js';

/** Collects older deployments and publishes routes when a project or its channels serve other ones. */
@Injectable()
export class ServedDeployments {
  constructor(
    private readonly deployments: DeploymentsRepository,
    private readonly limits: LimitsService,
    private readonly routes: RoutePublisher,
  ) {}

  /**
   * Gives up deployments beyond the limit, never one that is served, and publishes the routes. Call it last.
   * @param channels those that changed; absent if the active deployment did
   * @returns the feed version with the change, or null when no route changed
   */
  async change(tx: Tx, project: ProjectRow, channels?: readonly string[]): Promise<number | null> {
    const { keptDeployments } = await this.limits.readLimits(project.organizationId, tx);
    await this.deployments.collectAllBut(tx, project.id, Math.max(keptDeployments, 1));
    return this.routes.publish(tx, [{ project, ...(channels !== undefined && { channels }) }]);
  }
}

/** Serves deployments on channels. The transactions hold the lock of the project. */
@Injectable()
export class ServedChannels {
  constructor(
    private readonly channels: ChannelsRepository,
    private readonly limits: LimitsService,
    private readonly reservedSlugs: ReservedSlugs,
    private readonly served: ServedDeployments,
    private readonly audit: AuditLog,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>,
  ) {}

  /**
   * Serves a kept deployment on a channel, which is created if it is not there, and renews the channel. Call it last.
   * @param access who may read it from now on; if absent as before, and everybody for a new one
   * @throws RequestError `channel_limit_reached`, `name_reserved`, `invalid_parameter` for a label that is too long
   */
  async serve(
    tx: Tx,
    project: ProjectRow,
    name: string,
    deploymentId: string,
    access?: ChannelAccess,
  ): Promise<{ readonly row: ChannelRow; readonly isNew: boolean }> {
    const { id: projectId, organizationId } = project;
    const isNew = (await this.channels.find(projectId, name, tx)) === null;
    if (isNew) await this.requireAddable(tx, project, name);
    const put = await this.channels.put(tx, { projectId, name, deploymentId }, this.clock());
    const row = access === undefined ? put : await this.open(tx, put, access);
    const type = isNew ? 'channel.created' : 'channel.changed';
    const subject = { kind: 'channel', id: row.id } as const;
    await this.audit.record(tx, {
      organizationId,
      type,
      subject,
      detail: { name, projectId, deploymentId, access: row.access },
    });
    await this.served.change(tx, project, [name]);
    return { row, isNew };
  }

  /** Sets who may read a channel. One that becomes protected gets new keys: no earlier link opens it. */
  private async open(tx: Tx, row: ChannelRow, access: ChannelAccess): Promise<ChannelRow> {
    if (row.access === access) return row;
    const keys = access === 'link' ? sealNewLinkKeys(this.config.CERTIFICATE_KEKS, row.id) : null;
    await this.channels.setLinkKeys(tx, row.id, keys);
    return { ...row, access };
  }

  private async requireAddable(tx: Tx, { id, organizationId, slug }: ProjectRow, name: string): Promise<void> {
    const label = channelLabel(name, slug);
    if (label.length > MAX_LABEL_LENGTH)
      throw RequestError.ofField(
        'invalid_parameter',
        'channel',
        `the address would begin with ${label}, which has ${label.length} characters; DNS allows ${MAX_LABEL_LENGTH}.`,
      );
    if (this.reservedSlugs.isReserved(label))
      throw RequestError.ofField('name_reserved', 'channel', `"${label}" is reserved. Choose another name.`);
    const { channelsPerProject: max } = await this.limits.readLimits(organizationId, tx);
    if ((await this.channels.count(tx, id)) >= max)
      throw new RequestError('channel_limit_reached', `A project can have at most ${max} channels. Remove one first.`);
  }
}
