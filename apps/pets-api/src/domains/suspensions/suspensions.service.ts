/**
 * Suspends and resumes organizations, projects and domains. One transaction writes the suspension, the routes of every
 * project that it covers (under one version of the feed), the history of each domain and its webhook events. The edges answer
 * 410 as soon as they apply that version; waiting for its acknowledgements gives the same guarantee as for a removal.
 *
 * The due work of a suspended domain stays: the dispatcher holds it when it becomes due (`isWorkHeld`), and `resume` makes it
 * due again. Repeating a call changes nothing.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { SuspensionCause } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { AuditLog, type NewAuditEvent } from '../../access/audit/audit-log.js';
import {
  SuspensionsRepository,
  type CoveredDomain,
  type NewSuspension,
  type SuspensionTarget,
} from '../../access/suspensions/suspensions.repository.js';
import { DomainOccurrences } from '../../lifecycle/domain-occurrences.js';
import { DomainHistoryRepository } from '../../names/domain-history.repository.js';
import { EdgeFeed } from '../../names/edge-ports.js';
import { WildcardExclusionsRepository } from '../../names/wildcard-exclusions.repository.js';
import { DATABASE } from '../../platform/providers.js';
import { ProjectsRepository, type ProjectRow } from '../../projects/projects.repository.js';
import { RoutePublisher } from '../../projects/route-publisher.js';
import { WorkRepository } from '../../schedule/work.repository.js';

/** Records a suspension or a resumption: audit event, history of the domains and webhook events. Resumes held work. */
@Injectable()
export class SuspensionEffects {
  constructor(
    private readonly audit: AuditLog,
    private readonly work: WorkRepository,
    private readonly history: DomainHistoryRepository,
    private readonly occurrences: DomainOccurrences,
  ) {}

  async suspended(
    tx: Tx,
    target: SuspensionTarget,
    domains: readonly CoveredDomain[],
    suspension: NewSuspension,
    now: Date,
  ): Promise<void> {
    await this.audit.record(tx, eventOf('suspended', target, domains, suspension));
    await this.record(tx, domains, 'domain.suspended', `suspended (${suspension.cause}): ${suspension.reason}`, now);
    await this.notifyEndpoints(tx, domains, 'domain.suspended', now);
  }

  async resumed(
    tx: Tx,
    target: SuspensionTarget,
    domains: readonly CoveredDomain[],
    cause: SuspensionCause,
    now: Date,
  ): Promise<void> {
    await this.audit.record(tx, eventOf('resumed', target, domains, { cause }));
    await this.work.resumeHeld(
      tx,
      domains.map(({ id }) => id),
    );
    const [stillSuspended, served] = partition(domains, ({ suspensions }) => suspensions.length > 0);
    await this.record(tx, stillSuspended, 'domain.resumed', `resumed (${cause}); still suspended`, now);
    await this.record(tx, served, 'domain.resumed', `resumed (${cause})`, now);
    await this.notifyEndpoints(tx, served, 'domain.resumed', now);
  }

  private async record(
    tx: Tx,
    domains: readonly CoveredDomain[],
    type: 'domain.suspended' | 'domain.resumed',
    detail: string,
    at: Date,
  ): Promise<void> {
    await this.history.recordAll(
      tx,
      domains.map((domain) => {
        const { state } = domain;
        return { domain, line: { type, from: state, to: state, detail, apiKeyId: null, at } };
      }),
    );
  }

  /** Notifies endpoints when a domain becomes suspended or is no longer suspended, whatever the causes. */
  private async notifyEndpoints(
    tx: Tx,
    domains: readonly CoveredDomain[],
    type: 'domain.suspended' | 'domain.resumed',
    at: Date,
  ): Promise<void> {
    const isOnlyCause = ({ suspensions }: CoveredDomain) => suspensions.length <= 1;
    await this.occurrences.record(
      tx,
      domains.filter(isOnlyCause).map(({ id: domainId, organizationId, projectId }) => {
        return { type, domainId, organizationId, projectId, at };
      }),
    );
  }
}

/** The subject is the domain where there is one: a name can stay suspended when its domain is removed. */
function eventOf(
  action: 'suspended' | 'resumed',
  { organizationId, projectId, name }: SuspensionTarget,
  [domain]: readonly CoveredDomain[],
  { cause, reason }: Pick<NewSuspension, 'cause'> & { readonly reason?: string },
): NewAuditEvent {
  const detail = { cause, ...(reason !== undefined && { reason }), ...(name !== undefined && { name }) };
  if (name !== undefined) {
    const id = domain?.id ?? name;
    return { organizationId, type: `domain.${action}`, subject: { kind: 'domain', id }, detail };
  }
  if (projectId !== undefined)
    return { organizationId, type: `project.${action}`, subject: { kind: 'project', id: projectId }, detail };
  return {
    organizationId,
    type: `organization.${action}`,
    subject: { kind: 'organization', id: organizationId },
    detail,
  };
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

export interface SuspensionChange {
  /** False when the target was suspended, or not suspended, before. */
  readonly changed: boolean;
  /** How many domains it covers. */
  readonly domains: number;
  /** The version of the feed that contains the change. */
  readonly version: number;
}

@Injectable()
export class SuspensionsService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly suspensions: SuspensionsRepository,
    private readonly projects: ProjectsRepository,
    private readonly routes: RoutePublisher,
    private readonly feed: EdgeFeed,
    private readonly effects: SuspensionEffects,
    private readonly exclusions: WildcardExclusionsRepository,
  ) {}

  suspend(target: SuspensionTarget, suspension: NewSuspension, now: Date): Promise<SuspensionChange> {
    return this.db.transaction().execute((tx) => this.suspendIn(tx, target, suspension, now));
  }

  resume(target: SuspensionTarget, cause: SuspensionCause, now: Date): Promise<SuspensionChange> {
    return this.db.transaction().execute((tx) => this.resumeIn(tx, target, cause, now));
  }

  /** Publishes whether the wildcards that cover a name serve it, after the name was blocked or unblocked. */
  republishCovered(name: string): Promise<SuspensionChange> {
    return this.db.transaction().execute(async (tx) => {
      const projects = await this.projects.lockCurrent(tx, () => this.exclusions.listCoveringProjects(tx, name));
      const version = await this.publish(tx, { name }, [...projects.values()]);
      return { changed: false, domains: 0, version };
    });
  }

  /** Publishes routes, which locks the feed: call it last in the transaction. */
  async suspendIn(tx: Tx, target: SuspensionTarget, suspension: NewSuspension, now: Date): Promise<SuspensionChange> {
    const projects = await this.lock(tx, target);
    const changed = await this.suspensions.insert(tx, target, suspension, now);
    const domains = await this.suspensions.listCovered(tx, target);
    if (changed) await this.effects.suspended(tx, target, domains, suspension, now);
    return { changed, domains: domains.length, version: await this.publish(tx, target, projects) };
  }

  /** Publishes routes, which locks the feed: call it last in the transaction. */
  async resumeIn(tx: Tx, target: SuspensionTarget, cause: SuspensionCause, now: Date): Promise<SuspensionChange> {
    const projects = await this.lock(tx, target);
    const changed = await this.suspensions.delete(tx, target, cause);
    const domains = await this.suspensions.listCovered(tx, target);
    if (changed) await this.effects.resumed(tx, target, domains, cause, now);
    return { changed, domains: domains.length, version: await this.publish(tx, target, projects) };
  }

  /**
   * Locks every covered project, so that none of their routes is published without the suspension: publishing requires the
   * lock of the project and reads the suspensions under it. A project that is created concurrently waits for the lock of the
   * organization, or is found by the second query.
   */
  private async lock(tx: Tx, target: SuspensionTarget): Promise<readonly ProjectRow[]> {
    const projects = await this.projects.lockCurrent(tx, () => this.suspensions.listProjectIds(tx, target));
    if (target.projectId !== undefined || target.name !== undefined) return [...projects.values()];
    await tx
      .selectFrom('organizations')
      .select('id')
      .where('id', '=', target.organizationId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    const added = (await this.suspensions.listProjectIds(tx, target)).filter((id) => !projects.has(id));
    const others = added.length === 0 ? [] : (await this.projects.lockAll(tx, added)).values();
    return [...projects.values(), ...others];
  }

  /** The version with the change. When these routes were published before, it is their newest one. */
  private async publish(
    tx: Tx,
    { name }: Pick<SuspensionTarget, 'name'>,
    projects: readonly ProjectRow[],
  ): Promise<number> {
    const changes = projects.map((project) => ({ project, ...(name !== undefined && { names: [name] }) }));
    const version = projects.length === 0 ? null : await this.routes.publish(tx, changes);
    return (
      version ??
      (await this.feed.versionOfProjects(
        tx,
        projects.map(({ id }) => id),
      ))
    );
  }
}
