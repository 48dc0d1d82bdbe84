import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@pets/persistence';
import { AuditLog } from '../access/audit/audit-log.js';
import { requireChangeable } from '../access/suspensions/suspensions.js';
import type { Principal } from '../http/principal.js';
import { DATABASE } from '../platform/providers.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import type { DomainRow } from './domain-row.js';
import { DomainsRepository } from './domains.repository.js';
import { LifecycleService } from './lifecycle/lifecycle.service.js';
import { StoppingTraffic } from './stopping-traffic.service.js';

/** How long a removal waits for the edges before its response is that some are pending. */
const REMOVAL_WAIT_MS = 1_000;

/** Whether edges may still serve a removed domain. */
export type Removal = { readonly kind: 'stopped' } | { readonly kind: 'pending'; readonly domainId: string };

@Injectable()
export class RemoveDomainService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly lifecycle: LifecycleService,
    private readonly stopping: StoppingTraffic,
    private readonly audit: AuditLog,
  ) {}

  /** Removes a domain in any state, and waits for the edges. Repeating it waits again. */
  async remove({ organizationId, apiKeyId }: Principal, projectId: string, idOrName: string): Promise<Removal> {
    await this.projects.get(organizationId, projectId);
    const { id } = await this.domains.get(projectId, idOrName);
    const { version, isRepeated } = await this.db.transaction().execute(async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const domain = await this.domains.getLocked(tx, id);
      const before = domain.removedVersion === null ? null : Number(domain.removedVersion);
      if (domain.state === 'removed') return { version: before, isRepeated: true };
      requireChangeable(domain.suspensions);
      await this.record(tx, domain);
      const by = { trigger: { type: 'owner.removed' }, apiKeyId, now: new Date() } as const;
      return { version: await this.lifecycle.applyOwnerRequest(tx, project, domain, by), isRepeated: false };
    });
    if (version === null) return { kind: 'stopped' };
    if (!(await this.stopping.waitUntilStopped(version, REMOVAL_WAIT_MS))) return { kind: 'pending', domainId: id };
    // After a 202, the history reports when traffic has stopped, even if a later request is answered with 204.
    if (!isRepeated) await this.stopping.markAnswered(id);
    return { kind: 'stopped' };
  }

  private async record(tx: Tx, { id, organizationId, projectId, name }: DomainRow): Promise<void> {
    const event = { organizationId, type: 'domain.removed', subject: { kind: 'domain', id } } as const;
    await this.audit.record(tx, { ...event, detail: { name, projectId } });
  }
}
