import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { originHeadersBinding, originRow, type AuditEventType, type NewOrigin, type Origin } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { RequestError, seal } from '@pets/platform';
import { AuditLog } from '../../access/audit/audit-log.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { CLOCK, CONFIG } from '../../platform/providers.js';
import { ProjectsRepository, ProjectTransactions, type ProjectRow } from '../projects.repository.js';
import { RoutePublisher } from '../route-publisher.js';
import { OriginHealthRepository } from './origin-health.repository.js';
import { OriginOccurrences } from './origin-occurrences.js';
import type { OriginRow } from './origin-row.js';
import { OriginsRepository } from './origins.repository.js';

/** Every edge sends a request for each test, so one that has begun so recently is not begun again. */
const TEST_PAUSE_MS = 2_000;

/** The applications of projects: an edge tests each change, and the first test that passes puts one into service. */
@Injectable()
export class OriginsService {
  constructor(
    private readonly transactions: ProjectTransactions,
    private readonly projects: ProjectsRepository,
    private readonly origins: OriginsRepository,
    private readonly routes: RoutePublisher,
    private readonly health: OriginHealthRepository,
    private readonly occurrences: OriginOccurrences,
    private readonly audit: AuditLog,
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS' | 'PLATFORM_DOMAIN'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws RequestError `not_found`, also where the project has none */
  async read(organizationId: string, projectId: string): Promise<Origin> {
    await this.projects.get(organizationId, projectId);
    return this.occurrences.present(await this.origins.get(projectId));
  }

  /** @throws RequestError `not_found`; `invalid_parameter` for a host of this platform */
  async put(organizationId: string, projectId: string, wanted: NewOrigin): Promise<Origin> {
    this.requireForeign(wanted.url);
    await this.projects.get(organizationId, projectId);
    return this.transactions.run([projectId], async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const before = await this.origins.find(projectId, tx);
      const now = this.clock();
      const id = before?.id ?? randomUUID();
      const { url, hostHeader, timeouts, maxConnections, metadata: metadataKeys } = wanted;
      const headers = this.sealHeaders(id, wanted.headers, before);
      const settings = { url, hostHeader, timeouts, maxConnections, metadataKeys, ...headers };
      const origin = await this.origins.put(tx, { id, organizationId, projectId, ...settings }, now);
      await this.record(tx, project, 'origin.changed', { id, url });
      // The labels in the routes of domains may change as well; otherwise one row does, however many domains there are.
      const hasOtherLabels =
        before?.servedSince instanceof Date && !isDeepStrictEqual(before.metadataKeys, metadataKeys);
      await this.routes.publish(tx, [hasOtherLabels ? { project } : { project, names: [originRow(id)] }]);
      await this.health.restartVotes(tx, id);
      return this.occurrences.publish(tx, 'origin.changed', origin, now);
    });
  }

  /** Begins another test. @throws RequestError `not_found` */
  async test(db: Database, organizationId: string, projectId: string): Promise<Origin> {
    await this.projects.get(organizationId, projectId, db);
    return this.transactions.run(
      [projectId],
      async (tx) => {
        const project = await this.projects.lock(tx, projectId);
        const origin = await this.origins.get(projectId, tx);
        const now = this.clock();
        if (now.getTime() - origin.testStartedAt.getTime() < TEST_PAUSE_MS) return this.occurrences.present(origin, tx);
        const restarted = await this.origins.restartTest(tx, origin.id, now);
        await this.record(tx, project, 'origin.tested', origin);
        await this.routes.publish(tx, [{ project, names: [originRow(origin.id)] }]);
        return this.occurrences.present(restarted, tx);
      },
      db,
    );
  }

  /** @throws RequestError `not_found` */
  async delete(organizationId: string, projectId: string): Promise<void> {
    await this.projects.get(organizationId, projectId);
    await this.transactions.run([projectId], async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const origin = await this.origins.get(projectId, tx);
      await this.occurrences.publish(tx, 'origin.removed', origin, this.clock());
      await this.origins.delete(tx, origin.id);
      await this.record(tx, project, 'origin.removed', origin);
      await this.routes.publish(tx, [{ project }]);
    });
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

  private async record(
    tx: Tx,
    { id: projectId, organizationId }: ProjectRow,
    type: AuditEventType,
    { id, url }: Pick<OriginRow, 'id' | 'url'>,
  ): Promise<void> {
    await this.audit.record(tx, { organizationId, type, subject: { kind: 'origin', id }, detail: { projectId, url } });
  }
}
