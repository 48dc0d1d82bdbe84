import { Inject, Injectable } from '@nestjs/common';
import {
  MAX_FORWARDED_METADATA,
  MAX_METADATA_KEYS,
  type Domain,
  type DomainChangeRequest,
  type Metadata,
} from '@pets/contracts';
import { forwardedMetadata, isForwardable } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { AuditLog } from '../access/audit/audit-log.js';
import { requireChangeable } from '../access/suspensions/suspensions.repository.js';
import type { Principal } from '../http/principal.js';
import type { DomainRow } from '../names/domain-row.js';
import { DomainsRepository } from '../names/domains.repository.js';
import type { Clock } from '../platform/clock.js';
import { CLOCK } from '../platform/providers.js';
import { ChannelsRepository } from '../projects/deployments/channels.repository.js';
import { OriginsRepository } from '../projects/origins/origins.repository.js';
import { ProjectsRepository, ProjectTransactions, type ProjectRow } from '../projects/projects.repository.js';
import { RoutePublisher } from '../projects/route-publisher.js';
import { DomainsService } from './domains.service.js';

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

/** Changes of domains by their owners: the labels that they store, an id of their own and metadata, and the channel. */
@Injectable()
export class DomainLabels {
  constructor(
    private readonly transactions: ProjectTransactions,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly reading: DomainsService,
    private readonly audit: AuditLog,
    private readonly bindings: ChannelBindings,
    private readonly origins: OriginsRepository,
    private readonly routes: RoutePublisher,
  ) {}

  /** @throws RequestError `not_found`, `suspended`, `invalid_parameter` when the domain would have too much metadata */
  async change(
    { organizationId }: Principal,
    projectId: string,
    idOrName: string,
    change: DomainChangeRequest,
  ): Promise<Domain> {
    await this.projects.get(organizationId, projectId);
    const { id } = await this.domains.get(projectId, idOrName);
    await this.transactions.run([projectId], async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const domain = await this.domains.getLocked(tx, projectId, id);
      if (domain.state === 'removed') throw new RequestError('not_found', 'The domain was removed.');
      const { externalId = domain.externalId, channel = domain.channel } = change;
      const before = domain.metadata ?? {};
      const metadata = mergeMetadata(before, change.metadata ?? {});
      // Its own may cease to answer: then the other one does.
      const shared = await this.origins.find({ projectId, domainId: null }, tx);
      const own = await this.origins.find({ projectId, domainId: id }, tx);
      const keys = [shared, own].map((origin) => origin?.metadataKeys ?? []);
      const refusal = findUnforwardable(metadata, before, keys);
      if (refusal !== null) throw refusal;
      await this.domains.setLabels(tx, { id, projectId, externalId, metadata });
      const subject = { kind: 'domain', id } as const;
      const detail = { name: domain.name, projectId, changed: Object.keys(change) };
      await this.audit.record(tx, { organizationId, type: 'domain.changed', subject, detail });
      const isBound = channel !== domain.channel;
      if (isBound) await this.bindings.change(tx, project, domain, channel);
      // The route has the channel and, for an application, the labels.
      if (isBound || shared !== null || own !== null)
        await this.routes.publish(tx, [{ project, names: [domain.name] }]);
    });
    return this.reading.readDomain(projectId, id);
  }
}

/** Sets keys, and removes those with null. @throws RequestError `invalid_parameter` */
function mergeMetadata(current: Metadata, change: Readonly<Record<string, string | null>>): Metadata {
  const merged = Object.entries({ ...current, ...change }).flatMap(([key, value]) =>
    value === null ? [] : [[key, value] as const],
  );
  if (merged.length > MAX_METADATA_KEYS) {
    const message = `would have ${merged.length} keys; a domain can have at most ${MAX_METADATA_KEYS}.`;
    throw RequestError.ofField('invalid_parameter', 'metadata', message);
  }
  return Object.fromEntries(merged);
}

/**
 * The refusal of metadata that an application could not be told with each request.
 * @param before what is stored: nothing is refused that stays as it is
 * @param keys those that each origin asks for
 * @returns null where each of the origins can be told
 */
export function findUnforwardable(
  metadata: Metadata,
  before: Metadata,
  keys: readonly (readonly string[])[],
): RequestError | null {
  const isRefused = (asked: readonly string[]) => {
    const told = forwardedMetadata(metadata, asked) ?? '';
    return !isForwardable(told) && told !== forwardedMetadata(before, asked);
  };
  if (!keys.some(isRefused)) return null;
  const message = `has more than ${MAX_FORWARDED_METADATA} bytes under the keys that the origin asks for.`;
  return RequestError.ofField('invalid_parameter', 'metadata', message);
}
