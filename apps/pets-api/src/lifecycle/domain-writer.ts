import { Injectable } from '@nestjs/common';
import { isWildcard, originRow, type DomainState } from '@pets/contracts';
import {
  areSameRecords,
  formerRecords,
  isSameJson,
  isRecentlyRequested,
  webhookEventTypesOf,
  withoutDomain,
  type DomainTrigger,
  type Transition,
  type WorkCause,
} from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { OriginsRepository } from '../projects/origins/origins.repository.js';
import { ProjectsRepository, type ProjectRow } from '../projects/projects.repository.js';
import { RoutePublisher, type RouteChange } from '../projects/route-publisher.js';
import { OpenOrdersRepository } from '../certificates/open-orders.repository.js';
import { WorkRepository, type FinishedAttempt, type Scheduled } from '../schedule/work.repository.js';
import { DomainOccurrences } from './domain-occurrences.js';
import type { DomainChange, DomainRow } from '../names/domain-row.js';
import { DomainsRepository } from '../names/domains.repository.js';
import { WildcardExclusionsRepository } from '../names/wildcard-exclusions.repository.js';
import { DomainHistoryRepository } from '../names/domain-history.repository.js';
import { RevocationsService } from '../certificates/revocations/revocations.service.js';

/** A change of a domain, and its cause. */
export interface Change {
  readonly project: ProjectRow;
  readonly domain: DomainRow;
  /** Whether it had a certificate before. */
  readonly hadCertificate: boolean;
  readonly trigger: DomainTrigger;
  /** Fields that the trigger changes, in addition to those of the transition. */
  readonly change?: DomainChange | undefined;
  readonly outcome: Transition;
  /** The API key of the request; null for a result of the worker. */
  readonly apiKeyId: string | null;
  /** The trace of the change, where traces are recorded. */
  readonly traceParent: string | null;
  readonly now: Date;
}

/**
 * Writes the outcomes of `transition`: state, schedule, history and routes, in a transaction that holds the locks of the
 * projects. The number of statements does not depend on the number of domains.
 */
@Injectable()
export class DomainWriter {
  constructor(
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly exclusions: WildcardExclusionsRepository,
    private readonly history: DomainHistoryRepository,
    private readonly orders: OpenOrdersRepository,
    private readonly work: WorkRepository,
    private readonly origins: OriginsRepository,
    private readonly routes: RoutePublisher,
    private readonly occurrences: DomainOccurrences,
    private readonly revocations: RevocationsService,
  ) {}

  /**
   * A domain that lost its name is written before the one that took it, since a name has at most one holder at any time. All
   * routes get one version, so that no edge can apply only some of them.
   * @param finished the attempts with these results; their schedule entries are written first
   * @param alsoPublished changes of routes that no change of a domain brings with it
   * @returns the feed version with the changed routes, or null when none changed
   */
  async write(
    tx: Tx,
    changes: readonly Change[],
    finished: readonly FinishedAttempt[] = [],
    alsoPublished: readonly RouteChange[] = [],
  ): Promise<number | null> {
    await this.work.finishAll(tx, finished);
    const isLoss = ({ trigger }: Change) => trigger.type === 'owner.lost';
    for (const group of [changes.filter(isLoss), changes.filter((change) => !isLoss(change))]) {
      await this.writeRows(tx, group);
    }
    const projects = await this.removeFromConfigs(tx, changes);
    await this.publishOccurrences(
      tx,
      changes.filter((change) => !isRemoval(change)),
    );
    const version = await this.publish(tx, changes, projects, alsoPublished);
    // The event of a removed domain contains the number of pending edges, which depends on the version of its routes.
    await this.publishOccurrences(tx, changes.filter(isRemoval));
    return version;
  }

  private async publishOccurrences(tx: Tx, changes: readonly Change[]): Promise<void> {
    const occurrences = changes.flatMap((change) => {
      const { id: domainId, organizationId, projectId } = change.domain;
      const common = { domainId, organizationId, projectId, at: change.now };
      return webhookEventTypesOf(change).map((type) => ({ type, ...common }));
    });
    await this.occurrences.record(tx, occurrences);
  }

  private async publish(
    tx: Tx,
    changes: readonly Change[],
    projects: ReadonlyMap<string, ProjectRow>,
    alsoPublished: readonly RouteChange[],
  ): Promise<number | null> {
    const removed = changes.filter(isRemoval).map(({ domain }) => domain.id);
    // Another domain of the name, perhaps of another organization, gets neither the application nor its secrets.
    const origins = await this.origins.deleteOfDomains(tx, removed);
    const changed = Map.groupBy(changes.filter(changesRoutes), ({ project }) => project.id);
    const others = alsoPublished.filter(({ project }) => !changed.has(project.id));
    if (changed.size + others.length === 0) return null;
    const traces = new Map(changes.map(({ domain, traceParent }) => [domain.name, traceParent]));
    const routes = [...changed].flatMap(([id, [first, ...others]]): RouteChange[] => {
      if (first === undefined) return [];
      const names = [first, ...others].flatMap(({ domain: { id, name } }) => {
        const origin = origins.get(id);
        return origin === undefined ? [name] : [name, originRow(origin)];
      });
      return [{ project: projects.get(id) ?? first.project, names, previousConfig: first.project.domainConfig }];
    });
    const version = await this.routes.publish(tx, [...routes, ...others], traces);
    if (version === null) return null;
    if (removed.length > 0) await this.domains.setRemovedVersion(tx, removed, version);
    return version;
  }

  private async writeRows(tx: Tx, changes: readonly Change[]): Promise<void> {
    if (changes.length === 0) return;
    const written = changes.filter(isWritten);
    if (written.length > 0)
      await this.domains.updateAll(
        tx,
        written.map((all) => ({ ...all.domain, ...fieldsOf(all), isQuiet: historyOf(all).length === 0 })),
      );
    await this.work.scheduleAll(
      tx,
      changes.map((change) => {
        const { domain, outcome, traceParent } = change;
        return { domainId: domain.id, work: outcome.work, traceParent, cause: causeOf(change) };
      }),
    );
    // Whatever ends the attempts of a domain, an order that a CA has accepted is read to its end.
    const unscheduled = changes.filter(({ outcome }) => outcome.work.issuance?.dueAt === null);
    const withOrders = await this.orders.listDomains(
      tx,
      unscheduled.map(({ domain }) => domain.id),
    );
    await this.work.makeDue(tx, withOrders, 'issuance');
    const verified = changes.filter(
      ({ domain, outcome }) => domain.state !== 'verified' && outcome.state === 'verified',
    );
    // A delegation proves ownership as well: organizations that come later have to prove theirs.
    const prepared = changes.filter(({ domain, outcome }) => domain.preparedAt === null && outcome.times.preparedAt);
    await this.domains.markClaimsVerified(tx, [...verified, ...prepared]);
    await this.work.scheduleAll(tx, await this.checksOfWaiting(tx, changes.filter(isRemoval)));
    await this.work.scheduleAll(tx, verified.flatMap(checkApex));
    await this.revokeOfOthers(tx, verified);
    await this.history.recordAll(tx, changes.flatMap(historyOf));
  }

  /**
   * When a name is given up, a prepared domain of another organization gets its route at its next check: now. So does the
   * exclusion by a wildcard of another one.
   */
  private async checksOfWaiting(tx: Tx, removals: readonly Change[]): Promise<Scheduled[]> {
    const released = removals.filter(({ domain }) => domain.state !== 'awaiting_dns');
    const names = released.map(({ domain }) => domain.name);
    const cause = { isRequested: true, hasCertificate: true, hasAlert: false };
    const waiting = [
      ...(await this.domains.listPrepared(tx, names)),
      ...(await this.exclusions.listExcluding(tx, names)),
    ];
    return waiting.map((domainId) => {
      return { domainId, work: { dns: { dueAt: released[0]?.now ?? null } }, traceParent: null, cause };
    });
  }

  /** Former owners of the names may have certificates that are valid for months. */
  private async revokeOfOthers(tx: Tx, verified: readonly Change[]): Promise<void> {
    const moved = verified.filter(({ domain }) => domain.hasOtherClaims);
    const [first] = moved;
    if (first === undefined) return;
    const names = moved.map(({ domain }) => domain);
    await this.revocations.requestOfOthers(tx, names, first.now);
  }

  /** Deletes removed domains from the configurations of their projects. @returns the changed projects, by id */
  private async removeFromConfigs(tx: Tx, changes: readonly Change[]): Promise<Map<string, ProjectRow>> {
    const projects = new Map(changes.map(({ project }) => [project.id, project]));
    const changed = new Set<string>();
    for (const { project, domain } of changes.filter(isRemoval)) {
      const current = projects.get(project.id) ?? project;
      const domainConfig = withoutDomain(current.domainConfig, domain.name);
      if (domainConfig === current.domainConfig) continue;
      projects.set(project.id, { ...current, domainConfig });
      changed.add(project.id);
    }
    await this.projects.setDomainConfigs(
      tx,
      [...projects.values()].filter(({ id }) => changed.has(id)),
    );
    return projects;
  }
}

/**
 * Whether a change is written to the domain. A DNS check that found what the one before did is not, nor an order that is still
 * not finished: only the schedule entry changes, and nobody is notified, unless the owner may be waiting for it.
 */
function isWritten(all: Change): boolean {
  const { domain, trigger, now } = all;
  if (trigger.type === 'certificate.pending') return historyOf(all).length > 0;
  if (trigger.type !== 'dns.checked' || historyOf(all).length > 0 || isRecentlyRequested(domain.requestedAt, now))
    return true;
  const fields = fieldsOf(all);
  return (
    !areSameRecords(fields.observed ?? domain.observed, domain.observed) ||
    trigger.hasNewNameServers === true ||
    Object.entries(fields).some(([name, value]) => !differAnyway.has(name) && !isSameJson(value, domain[name as Field]))
  );
}

type Field = keyof DomainChange;
/** Fields that differ between checks with the same result. */
const differAnyway: ReadonlySet<string> = new Set<Field>(['checkedAt', 'observed', 'nameServers']);

const fieldsOf = ({ domain, change, outcome, now }: Change): DomainChange => ({
  ...change,
  ...changeOf(domain, outcome, now),
});
const isNewState = ({ domain, outcome }: Change): boolean => outcome.state !== domain.state;
/** Visitors may get another certificate. */
const routedTriggers: ReadonlySet<DomainTrigger['type']> = new Set([
  'certificate.issued',
  'own_certificate.activated',
  'own_certificate.preferred',
  'own_certificate.ended',
]);
const isRemoval = (change: Change): boolean => isNewState(change) && change.outcome.state === 'removed';
/** Routes are the same for both states: that a verified domain goes live changes none. */
const isRouted = (state: DomainState): boolean => state === 'verified' || state === 'live';
const changesRoutes = (change: Change): boolean =>
  (isNewState(change) && !(isRouted(change.domain.state) && isRouted(change.outcome.state))) ||
  (change.domain.state !== 'removed' && routedTriggers.has(change.trigger.type)) ||
  change.outcome.alert?.level === 'expired' ||
  isPreparedCheck(change) ||
  isWildcardCheck(change);

/** The route of a prepared name may wait until another domain gives the name up: each check publishes it if it can be. */
const isPreparedCheck = ({ domain, trigger, hadCertificate }: Change): boolean =>
  trigger.type === 'dns.checked' && domain.state === 'awaiting_dns' && domain.preparedAt !== null && hadCertificate;

/** A name that a wildcard excludes may have been served for somebody else meanwhile: each check publishes the exclusions. */
const isWildcardCheck = ({ domain, trigger }: Change): boolean =>
  trigger.type === 'dns.checked' &&
  isWildcard(domain.name) &&
  domain.state !== 'awaiting_dns' &&
  domain.state !== 'removed';

/** A verified `www.` name may prove the ownership of the apex, whose next check would be later. */
function checkApex({ domain, traceParent, now }: Change): Scheduled[] {
  const { name, apexName, pairedWith } = domain;
  if (pairedWith === null || name === apexName) return [];
  const cause = { isRequested: true, hasCertificate: false, hasAlert: false };
  return [{ domainId: pairedWith, work: { dns: { dueAt: now } }, traceParent, cause }];
}

/** Reason why a change schedules work. */
export function causeOf({ domain, hadCertificate, trigger, outcome, apiKeyId }: Omit<Change, 'project'>): WorkCause {
  const { alert } = outcome;
  return {
    isRequested: apiKeyId !== null,
    hasCertificate: hadCertificate || trigger.type === 'certificate.issued',
    hasAlert: alert === undefined ? domain.certificateAlert !== null : alert !== null,
  };
}

/** The lines of a change: the transition, and an alert about the certificate. */
function historyOf({ domain, trigger, outcome, apiKeyId, now }: Change) {
  const { history, alert, state } = outcome;
  return [
    ...(history === null ? [] : [{ type: trigger.type, from: domain.state, detail: history, apiKeyId }]),
    ...(alert ? [{ type: alert.type, from: state, detail: alert.detail, apiKeyId: null }] : []),
  ].map((line) => ({ domain, line: { ...line, to: state, at: now } }));
}

function formerOf(domain: DomainRow, { state, conflicts = [] }: Transition, now: Date): DomainRow['formerRecords'] {
  return state === 'removed' ? [] : formerRecords(domain, conflicts, state === 'awaiting_dns', now);
}

function changeOf(domain: DomainRow, outcome: Transition, now: Date): DomainChange {
  const entered = outcome.state === domain.state ? null : outcome.state;
  return {
    state: outcome.state,
    misconfigured: outcome.misconfigured,
    ...(outcome.startsGeneration && { generation: domain.generation + 1, generationBeganAt: now }),
    ...(outcome.issues.dns && { dnsIssues: outcome.issues.dns }),
    ...(outcome.issues.certificate && { certificateIssues: outcome.issues.certificate }),
    ...(outcome.conflicts && { conflicts: outcome.conflicts, formerRecords: formerOf(domain, outcome, now) }),
    ...outcome.times,
    ...(outcome.alert !== undefined && { certificateAlert: outcome.alert?.level ?? null }),
    ...(entered === 'verified' && { verifiedAt: now }),
    ...(entered === 'live' && { liveAt: now }),
    ...(entered === 'removed' && { removedAt: now }),
  };
}
