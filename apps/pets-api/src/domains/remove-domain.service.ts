import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import type { Principal } from '../http/principal.js';
import { DATABASE } from '../platform/providers.js';
import { ProjectsRepository } from '../projects/projects.repository.js';
import { DomainRemovals } from './domain-removals.js';
import { DomainsRepository, noSuchDomain } from './domains.repository.js';
import { REMOVAL_WAIT_MS, StoppingTraffic } from './stopping-traffic.service.js';

/** Whether edges may still serve a removed domain. */
export type Removal = { readonly kind: 'stopped' } | { readonly kind: 'pending'; readonly domainId: string };

@Injectable()
export class RemoveDomainService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly removals: DomainRemovals,
    private readonly stopping: StoppingTraffic,
  ) {}

  /** Removes a domain in any state, and waits for the edges. Repeating it waits again. */
  async remove({ organizationId, apiKeyId }: Principal, projectId: string, idOrName: string): Promise<Removal> {
    await this.projects.get(organizationId, projectId);
    const { id } = await this.domains.get(projectId, idOrName);
    const outcome = await this.db.transaction().execute(async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      return (await this.removals.remove(tx, project, [id], apiKeyId)).get(id);
    });
    // It has moved meanwhile.
    if (outcome === undefined) throw noSuchDomain();
    if (outcome.kind === 'refused') throw outcome.error;
    const { version, isRepeated } = outcome;
    if (version === null) return { kind: 'stopped' };
    if (!(await this.stopping.waitUntilStopped(version, REMOVAL_WAIT_MS))) return { kind: 'pending', domainId: id };
    // After a 202, the history reports when traffic has stopped, even if a later request is answered with 204.
    if (!isRepeated) await this.stopping.markAnswered([id]);
    return { kind: 'stopped' };
  }
}
