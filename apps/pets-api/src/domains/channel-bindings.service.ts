import { Inject, Injectable } from '@nestjs/common';
import type { Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { requireChangeable } from '../access/suspensions/suspensions.repository.js';
import type { Clock } from '../platform/clock.js';
import { CLOCK } from '../platform/providers.js';
import { ChannelsRepository } from '../projects/deployments/channels.repository.js';
import type { ProjectRow } from '../projects/projects.repository.js';
import type { DomainRow } from '../names/domain-row.js';
import { DomainsRepository } from '../names/domains.repository.js';

/** Lets domains serve channels of their project. The transactions hold the project's lock. */
@Injectable()
export class ChannelBindings {
  constructor(
    private readonly channels: ChannelsRepository,
    private readonly domains: DomainsRepository,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Binds a domain to a channel or, with null, to the active deployment. The caller publishes its route.
   * @throws RequestError `not_found`, `suspended`
   */
  async change(tx: Tx, project: ProjectRow, domain: DomainRow, channel: string | null): Promise<void> {
    requireChangeable(domain.suspensions);
    if (channel !== null && (await this.channels.find(project.id, channel, tx)) === null)
      throw RequestError.ofField('not_found', 'channel', `the project has no channel ${channel}.`);
    await this.end(tx, project, [domain]);
    await this.domains.setChannel(tx, [domain.id], channel);
  }

  /** Ends the bindings of domains that leave the project. The channels that they served have their full time again. */
  async end(tx: Tx, { id }: ProjectRow, domains: readonly DomainRow[]): Promise<void> {
    const left = new Set(domains.flatMap(({ channel }) => channel ?? []));
    if (left.size === 0) return;
    await this.channels.renew(tx, id, [...left], this.clock());
    await this.domains.setChannel(
      tx,
      domains.map((domain) => domain.id),
      null,
    );
  }
}
