import { Injectable } from '@nestjs/common';
import { wildcardOf } from '@pets/contracts';
import { findWriteBlock } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import type { RequestError } from '@pets/platform';
import { AuditLog } from '../access/audit/audit-log.js';
import { suspended } from '../access/suspensions/suspensions.js';
import type { ProjectRow } from '../projects/projects.repository.js';
import type { DomainRow } from '../names/domain-row.js';
import { DomainsRepository } from '../names/domains.repository.js';
import { LifecycleService } from '../lifecycle/lifecycle.service.js';
import { ChannelBindings } from './channel-bindings.service.js';

export interface RemovedDomain {
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
export function removedBefore(domain: DomainRow): RemovedDomain {
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
