import { Injectable } from '@nestjs/common';
import { MAX_EXCLUSIONS, wildcardOf } from '@pets/contracts';
import { findWriteBlock } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { AuditLog } from '../access/audit/audit-log.js';
import { requireChangeable, suspended } from '../access/suspensions/suspensions.repository.js';
import type { Principal } from '../http/principal.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import type { DomainRow } from '../names/domain-row.js';
import { DomainsRepository, noSuchDomain } from '../names/domains.repository.js';
import { REMOVAL_WAIT_MS } from '../names/edge-ports.js';
import { WildcardExclusionsRepository, type CoveringWildcard } from '../names/wildcard-exclusions.repository.js';
import { ProjectsRepository, ProjectTransactions, type ProjectRow } from '../projects/projects.repository.js';
import { RoutePublisher } from '../projects/route-publisher.js';
import { ChannelBindings } from './domain-labels.service.js';
import { StoppingTraffic } from './stopping-traffic.service.js';

interface RemovedDomain {
  readonly kind: 'removed';
  readonly id: string;
  /** The feed version that ended its routes; null when it had none. */
  readonly version: number | null;
  /** The wildcard of the organization that covers the name and serves it from now on; null without one. */
  readonly coveredBy: string | null;
  /** Whether it was removed before. */
  readonly isRepeated: boolean;
}

/** Result of removing a domain. */
export type RemovalOutcome = RemovedDomain | { readonly kind: 'refused'; readonly error: RequestError };

/** The request that removes domains. */
export interface RemovalRequest {
  readonly apiKeyId: string;
  /** The project whose wildcard excludes the names from now on; its lock is held as well. */
  readonly excludedIn?: ProjectRow | null;
  /** Whether it is an import, which has one audit event for all. */
  readonly isImport?: boolean;
}

/**
 * Removes domains from a project: every request to remove a domain ends here. The number of statements does not depend on the
 * number of domains.
 */
@Injectable()
export class DomainRemovals {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly lifecycle: LifecycleService,
    private readonly audit: AuditLog,
    private readonly bindings: ChannelBindings,
  ) {}

  /**
   * Removes domains of a project, in any state, in a transaction that holds its lock. Edges may serve them until they have
   * applied `version`.
   * @returns the outcome of each domain, by id
   */
  async remove(
    tx: Tx,
    project: ProjectRow,
    ids: readonly string[],
    { apiKeyId, excludedIn = null, isImport = false }: RemovalRequest,
  ): Promise<ReadonlyMap<string, RemovalOutcome>> {
    const domains = [...(await this.domains.listLocked(tx, ids)).values()].filter(
      // Others have moved since they were found.
      ({ projectId }) => projectId === project.id,
    );
    const leaving = domains.filter((domain) => domain.state !== 'removed' && !findWriteBlock(domain.suspensions));
    if (!isImport) await this.record(tx, leaving);
    await this.bindings.end(tx, project, leaving);
    const request = { trigger: { type: 'owner.removed' }, apiKeyId, now: new Date() } as const;
    const alsoPublished = excludedIn === null ? [] : [{ project: excludedIn, names: domains.map(({ name }) => name) }];
    const version = await this.lifecycle.applyOwnerRequests(tx, project, leaving, request, alsoPublished);
    const removed = new Set(leaving.map(({ name }) => name));
    const coveredBy = (domain: DomainRow) => {
      const wildcard = excludedIn === null ? coveringWildcard(domain) : null;
      return wildcard === null || removed.has(wildcard) ? null : wildcard;
    };
    return new Map(domains.map((domain) => [domain.id, outcomeOf(domain, version, coveredBy(domain))]));
  }

  private async record(tx: Tx, domains: readonly DomainRow[]): Promise<void> {
    await this.audit.recordAll(
      tx,
      domains.map(({ id, organizationId, projectId, name }) => ({
        ...{ organizationId, type: 'domain.removed' as const },
        subject: { kind: 'domain', id },
        detail: { name, projectId },
      })),
    );
  }
}

/** Result for a domain that was removed before: its row has it, so no lock is needed. */
function removedBefore(domain: DomainRow): RemovedDomain {
  const { id, removedVersion } = domain;
  const version = removedVersion === null ? null : Number(removedVersion);
  return { kind: 'removed', id, version, coveredBy: coveringWildcard(domain), isRepeated: true };
}

/** The wildcard of the organization that covers the domain; null without one. */
function coveringWildcard({ name, wildcardTargetToken }: DomainRow): string | null {
  return wildcardTargetToken === null ? null : (wildcardOf(name) ?? null);
}

/** @param version with the removals of this transaction */
function outcomeOf(domain: DomainRow, version: number | null, coveredBy: string | null): RemovalOutcome {
  const { id, state, suspensions } = domain;
  if (state === 'removed') return { ...removedBefore(domain), coveredBy };
  const block = findWriteBlock(suspensions);
  if (block !== undefined) return { kind: 'refused', error: suspended(block.scope, block.reason) };
  return { kind: 'removed', id, version, coveredBy, isRepeated: false };
}

/** Whether edges may still serve a removed domain. `covered`: they do, by a wildcard of the organization. */
type Removal =
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
