import { Injectable } from '@nestjs/common';
import { MAX_EXCLUSIONS } from '@pets/contracts';
import type { Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { requireChangeable } from '../access/suspensions/suspensions.js';
import type { Principal } from '../http/principal.js';
import { ProjectsRepository, ProjectTransactions, type ProjectRow } from '../projects/projects.repository.js';
import { RoutePublisher } from '../projects/route-publisher.js';
import { DomainRemovals, removedBefore, type RemovalOutcome, type RemovedDomain } from './domain-removals.js';
import type { DomainRow } from '../names/domain-row.js';
import { REMOVAL_WAIT_MS } from '../names/edge-ports.js';
import { DomainsRepository, noSuchDomain } from '../names/domains.repository.js';
import { WildcardExclusionsRepository, type CoveringWildcard } from '../names/wildcard-exclusions.repository.js';
import { StoppingTraffic } from './stopping-traffic.service.js';

/** Whether edges may still serve a removed domain. `covered`: they do, by a wildcard of the organization. */
export type Removal =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'covered'; readonly domainId: string }
  | { readonly kind: 'pending'; readonly domainId: string };

@Injectable()
export class RemoveDomainService {
  constructor(
    private readonly transactions: ProjectTransactions,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly exclusions: WildcardExclusionsRepository,
    private readonly removals: DomainRemovals,
    private readonly routes: RoutePublisher,
    private readonly stopping: StoppingTraffic,
  ) {}

  /**
   * Removes a domain in any state, and waits for the edges. Repeating it says at once how far they are.
   * @param exclude whether the wildcard of the organization that covers the name stops serving it as well
   * @throws RequestError `conflict` when no wildcard covers the name, `domain_limit_reached` when it excludes too many
   */
  async remove(
    { organizationId, apiKeyId }: Principal,
    projectId: string,
    idOrName: string,
    exclude: boolean,
  ): Promise<Removal> {
    await this.projects.get(organizationId, projectId);
    const domain = await this.domains.get(projectId, idOrName);
    if (domain.state === 'removed' && !exclude) return this.waitForEdges(removedBefore(domain));
    const outcome = exclude
      ? await this.removeExcluded(domain, apiKeyId)
      : await this.transactions.run([projectId], async (tx) => {
          const project = await this.projects.lock(tx, projectId);
          return (await this.removals.remove(tx, project, [domain.id], { apiKeyId })).get(domain.id);
        });
    // It has moved meanwhile.
    if (outcome === undefined) throw noSuchDomain();
    if (outcome.kind === 'refused') throw outcome.error;
    return this.waitForEdges(outcome);
  }

  private async waitForEdges({ id, version, coveredBy, isRepeated }: RemovedDomain): Promise<Removal> {
    const done: Removal = coveredBy === null ? { kind: 'stopped' } : { kind: 'covered', domainId: id };
    if (version === null) return done;
    const limitMs = isRepeated ? 0 : REMOVAL_WAIT_MS;
    if (!(await this.stopping.waitUntilStopped(version, limitMs))) return { kind: 'pending', domainId: id };
    // After a 202, the history reports when traffic has stopped, even if a later request is answered with 204.
    if (!isRepeated) await this.stopping.markAnswered([id]);
    return done;
  }

  /** Removes a domain and excludes its name from the wildcard, in one version of the feed. */
  private async removeExcluded(domain: DomainRow, apiKeyId: string): Promise<RemovalOutcome | undefined> {
    const wildcard = await this.requireCovering(domain);
    return this.transactions.run([domain.projectId, wildcard.projectId], async (tx) => {
      const locked = await this.projects.lockAll(tx, [domain.projectId, wildcard.projectId]);
      const [project, excludedIn] = [locked.get(domain.projectId), locked.get(wildcard.projectId)];
      const current = await this.requireCovering(domain, tx);
      if (project === undefined || excludedIn === undefined || current.projectId !== wildcard.projectId)
        throw noSuchDomain();
      requireChangeable(current.suspensions);
      if (!(await this.exclusions.insert(tx, current.id, domain.name, MAX_EXCLUSIONS)))
        throw new RequestError('domain_limit_reached', `A wildcard can exclude at most ${MAX_EXCLUSIONS} names.`);
      const outcome = (await this.removals.remove(tx, project, [domain.id], { apiKeyId, excludedIn })).get(domain.id);
      if (outcome?.kind !== 'removed' || !outcome.isRepeated) return outcome;
      const version = await this.publishExclusion(tx, excludedIn, domain);
      return version === null ? outcome : { ...outcome, version, isRepeated: false };
    });
  }

  /** Publishes the exclusion of a domain that was removed before: the removal itself changes no route. */
  private async publishExclusion(tx: Tx, project: ProjectRow, { id, name }: DomainRow): Promise<number | null> {
    const version = await this.routes.publish(tx, [{ project, names: [name] }]);
    if (version !== null) await this.domains.setRemovedVersion(tx, [id], version);
    return version;
  }

  private async requireCovering({ organizationId, name }: DomainRow, tx?: Tx): Promise<CoveringWildcard> {
    const wildcard = await this.exclusions.findCovering(organizationId, name, tx);
    if (wildcard !== null) return wildcard;
    throw RequestError.ofField('conflict', 'exclude', `no verified wildcard of your organization covers ${name}.`);
  }
}
