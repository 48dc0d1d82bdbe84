import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { originHeadersBinding, type AuditEventType, type NewOrigin, type Origin } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { RequestError, seal } from '@pets/platform';
import { AuditLog } from '../../access/audit/audit-log.js';
import { LimitsService } from '../../access/limits/limits.service.js';
import { requireChangeable } from '../../access/suspensions/suspensions.repository.js';
import { DomainsRepository } from '../../names/domains.repository.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG } from '../../platform/providers.js';
import { ProjectsRepository, ProjectTransactions, type ProjectRow } from '../projects.repository.js';
import { RoutePublisher } from '../route-publisher.js';
import { OriginHealthRepository } from './origin-health.repository.js';
import { OriginOccurrences } from './origin-occurrences.js';
import { changeOfHosts, changeOfRow, type OriginOwner, type OriginRow } from './origin-row.js';
import { OriginsRepository } from './origins.repository.js';

/** Every edge sends a request for each test, so one that has begun so recently is not begun again. */
const TEST_PAUSE_MS = 2_000;

/** The owner of an origin as a request names it. */
interface OriginAddress {
  readonly projectId: string;
  /** Id or name; undefined for the origin of the project. */
  readonly domain?: string | undefined;
}

/** The owner of an origin, under the lock of the project. */
interface LockedOwner {
  readonly project: ProjectRow;
  readonly owner: OriginOwner;
  readonly domainName: string | null;
}

/**
 * The applications of projects and of domains: an edge tests each change, and the first test that passes puts one into service.
 * A domain whose organization loses the name, and one that is removed, loses its own with its row (`lifecycle/domain-writer.ts`).
 */
@Injectable()
export class OriginsService {
  constructor(
    private readonly transactions: ProjectTransactions,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly origins: OriginsRepository,
    private readonly limits: LimitsService,
    private readonly routes: RoutePublisher,
    private readonly health: OriginHealthRepository,
    private readonly occurrences: OriginOccurrences,
    private readonly audit: AuditLog,
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS' | 'PLATFORM_DOMAIN'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws RequestError `not_found`, also where there is none */
  async read(organizationId: string, address: OriginAddress): Promise<Origin> {
    return this.occurrences.present(await this.origins.get(await this.findOwner(organizationId, address)));
  }

  /** @throws RequestError `not_found`, `suspended`, `origin_limit_reached`; `invalid_parameter` for a host of this platform */
  async put(organizationId: string, address: OriginAddress, wanted: NewOrigin): Promise<Origin> {
    this.requireForeign(wanted.url);
    const found = await this.findOwner(organizationId, address);
    return this.transactions.run([found.projectId], async (tx) => {
      const { project, owner, domainName } = await this.lockOwner(tx, found);
      const before = await this.origins.find(owner, tx);
      if (before === null) await this.requireRoom(tx, organizationId);
      const now = this.clock();
      const id = before?.id ?? randomUUID();
      const { url, hostHeader, timeouts, maxConnections, metadata: metadataKeys } = wanted;
      const headers = this.sealHeaders(id, wanted.headers, before);
      const settings = { url, hostHeader, timeouts, maxConnections, metadataKeys, ...headers };
      const origin = await this.origins.put(tx, { id, organizationId, ...owner, domainName, ...settings }, now);
      await this.record(tx, 'origin.changed', origin);
      // The labels in the routes of domains may change as well; otherwise one row does, however many domains there are.
      const hasOtherLabels =
        before?.servedSince instanceof Date && !isDeepStrictEqual(before.metadataKeys, metadataKeys);
      const change = hasOtherLabels ? changeOfHosts(project, origin) : changeOfRow(project, origin);
      await this.routes.publish(tx, [change]);
      await this.health.restartVotes(tx, id);
      if (before === null) await this.announceOwner(tx, owner);
      return this.occurrences.publish(tx, 'origin.changed', origin, now);
    });
  }

  /** Begins another test. @throws RequestError `not_found`, `suspended` */
  async test(db: Database, organizationId: string, address: OriginAddress): Promise<Origin> {
    const found = await this.findOwner(organizationId, address, db);
    return this.transactions.run(
      [found.projectId],
      async (tx) => {
        const { project, owner } = await this.lockOwner(tx, found);
        const origin = await this.origins.get(owner, tx);
        const now = this.clock();
        if (now.getTime() - origin.testStartedAt.getTime() < TEST_PAUSE_MS) return this.occurrences.present(origin, tx);
        const restarted = await this.origins.restartTest(tx, origin.id, now);
        await this.record(tx, 'origin.tested', origin);
        await this.routes.publish(tx, [changeOfRow(project, origin)]);
        return this.occurrences.present(restarted, tx);
      },
      db,
    );
  }

  /** @throws RequestError `not_found`, `suspended` */
  async delete(organizationId: string, address: OriginAddress): Promise<void> {
    const found = await this.findOwner(organizationId, address);
    await this.transactions.run([found.projectId], async (tx) => {
      const { project, owner } = await this.lockOwner(tx, found);
      const origin = await this.origins.get(owner, tx);
      await this.occurrences.publish(tx, 'origin.removed', origin, this.clock());
      await this.origins.delete(tx, origin.id);
      await this.announceOwner(tx, owner);
      await this.record(tx, 'origin.removed', origin);
      await this.routes.publish(tx, [changeOfHosts(project, origin)]);
    });
  }

  private async findOwner(
    organizationId: string,
    { projectId, domain }: OriginAddress,
    db?: Database,
  ): Promise<OriginOwner> {
    await this.projects.get(organizationId, projectId, db);
    if (domain === undefined) return { projectId, domainId: null };
    return { projectId, domainId: (await this.domains.get(projectId, domain, db)).id };
  }

  /** @throws RequestError `not_found` when the domain has moved or was removed; `suspended` */
  private async lockOwner(tx: Tx, owner: OriginOwner): Promise<LockedOwner> {
    const { projectId, domainId } = owner;
    const project = await this.projects.lock(tx, projectId);
    if (domainId === null) return { project, owner, domainName: null };
    const domain = await this.domains.getLocked(tx, projectId, domainId);
    if (domain.state === 'removed') throw new RequestError('not_found', 'The domain was removed.');
    requireChangeable(domain.suspensions);
    return { project, owner, domainName: domain.name };
  }

  /** @throws RequestError `origin_limit_reached` */
  private async requireRoom(tx: Tx, organizationId: string): Promise<void> {
    const { origins: max } = await this.limits.lock(tx, organizationId);
    if ((await this.origins.count(organizationId, tx)) < max) return;
    throw new RequestError(
      'origin_limit_reached',
      `The organization can have at most ${max} origins. Remove one first.`,
    );
  }

  /** Announces that a domain has an origin of its own, or no more, to the readers of the project's events. */
  private async announceOwner(tx: Tx, { projectId, domainId }: OriginOwner): Promise<void> {
    if (domainId !== null) await this.domains.announce(tx, { id: domainId, projectId });
  }

  private requireForeign(url: string): void {
    const host = new URL(url).hostname.replace(/\.$/, '');
    const own = this.config.PLATFORM_DOMAIN;
    if (host !== own && !host.endsWith(`.${own}`)) return;
    throw RequestError.ofField(
      'invalid_parameter',
      'url',
      'must not be a host of this platform: it would forward to itself.',
    );
  }

  /** Absent headers stay as they are stored. */
  private sealHeaders(
    id: string,
    headers: NewOrigin['headers'],
    before: OriginRow | null,
  ): Pick<OriginRow, 'headerNames' | 'sealedHeaders'> {
    if (headers === undefined)
      return { headerNames: before?.headerNames ?? [], sealedHeaders: before?.sealedHeaders ?? '' };
    const headerNames = Object.keys(headers);
    if (headerNames.length === 0) return { headerNames, sealedHeaders: '' };
    const ring = this.config.CERTIFICATE_KEKS;
    return { headerNames, sealedHeaders: seal(ring, JSON.stringify(headers), originHeadersBinding(id)) };
  }

  private async record(tx: Tx, type: AuditEventType, origin: OriginRow): Promise<void> {
    const { id, organizationId, projectId, domainName, url } = origin;
    const detail = { projectId, ...(domainName !== null && { name: domainName }), url };
    await this.audit.record(tx, { organizationId, type, subject: { kind: 'origin', id }, detail });
  }
}
