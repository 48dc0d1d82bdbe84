import { Inject, Injectable } from '@nestjs/common';
import { channelLabel } from '@pets/domains';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { LINK_PARAMETER, signLink } from '@pets/sites';
import { AuditLog } from '../../access/audit/audit-log.js';
import { EdgeAcknowledgements, REMOVAL_WAIT_MS } from '../../names/edge-ports.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG } from '../../platform/providers.js';
import {
  ChannelsRepository,
  sealNewLinkKeys,
  unsealLinkKeys,
  type ChannelRow,
  type SealedLinkKeys,
} from '../deployments/channels.repository.js';
import { siteUrlOf } from '../project-presenter.js';
import { ProjectsRepository, ProjectTransactions } from '../projects.repository.js';
import { RoutePublisher } from '../route-publisher.js';
import { noSuchChannel } from './channels.service.js';

export interface ChannelLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/** Links that open protected channels. None is stored: each is signed with the key of its channel. */
@Injectable()
export class ChannelLinks {
  constructor(
    private readonly transactions: ProjectTransactions,
    private readonly projects: ProjectsRepository,
    private readonly channels: ChannelsRepository,
    private readonly routes: RoutePublisher,
    private readonly acks: EdgeAcknowledgements,
    private readonly audit: AuditLog,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG)
    private readonly config: Pick<Config, 'CERTIFICATE_KEKS' | 'PLATFORM_DOMAIN' | 'PUBLIC_HTTPS_PORT'>,
  ) {}

  /** @throws RequestError `not_found`; `conflict` for a channel that everybody may read */
  async create(
    db: Database,
    organizationId: string,
    projectId: string,
    name: string,
    expiresIn: number,
  ): Promise<ChannelLink> {
    const { slug } = await this.projects.get(organizationId, projectId, db);
    return inTransaction(db, async (tx) => {
      const { id, keys } = await this.requireProtected(tx, projectId, name);
      const endsAt = Math.floor(this.clock().getTime() / 1_000) + expiresIn;
      const expiresAt = new Date(endsAt * 1_000);
      const subject = { kind: 'channel', id } as const;
      const detail = { name, projectId, expiresAt: expiresAt.toISOString() };
      await this.audit.record(tx, { organizationId, type: 'channel.link_created', subject, detail });
      const token = signLink(unsealLinkKeys(this.config.CERTIFICATE_KEKS, id, keys), endsAt);
      const url = new URL(siteUrlOf(`${channelLabel(name, slug)}.${this.config.PLATFORM_DOMAIN}`, this.config));
      url.searchParams.set(LINK_PARAMETER, token);
      return { url: url.href, expiresAt };
    });
  }

  /**
   * Ends all links of a channel, by another key, and waits for the edges.
   * @returns how many edges may still accept them
   * @throws as `create`
   */
  async end(organizationId: string, projectId: string, name: string): Promise<number> {
    await this.projects.get(organizationId, projectId);
    const version = await this.transactions.run([projectId], async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const { id } = await this.requireProtected(tx, projectId, name);
      await this.channels.setLinkKeys(tx, id, sealNewLinkKeys(this.config.CERTIFICATE_KEKS, id));
      const subject = { kind: 'channel', id } as const;
      await this.audit.record(tx, {
        organizationId,
        type: 'channel.links_ended',
        subject,
        detail: { name, projectId },
      });
      return this.routes.publish(tx, [{ project, channels: [name] }]);
    });
    return version === null ? 0 : this.acks.waitUntilStopped(version, REMOVAL_WAIT_MS);
  }

  private async requireProtected(
    tx: Tx,
    projectId: string,
    name: string,
  ): Promise<Pick<ChannelRow, 'id'> & { readonly keys: SealedLinkKeys }> {
    const channel = await this.channels.find(projectId, name, tx);
    if (channel === null) throw noSuchChannel();
    const keys = await this.channels.findLinkKeys(tx, channel.id);
    if (keys === null)
      throw new RequestError(
        'conflict',
        `Everybody may read the channel ${name}. Protect it first, with access "link".`,
      );
    return { id: channel.id, keys };
  }
}
