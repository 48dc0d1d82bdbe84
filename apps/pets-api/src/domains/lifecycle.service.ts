import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '@pets/contracts';
import {
  jitterOf,
  targetHostFor,
  transition,
  withoutDomain,
  type DomainFacts,
  type DomainTrigger,
  type Transition,
  type WorkKind,
} from '@pets/domains';
import { violatesUnique, type Database, type Tx } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import type { Config } from '../config.js';
import { RoutePublisher } from '../edge-feed/route-publisher.js';
import { ProjectsRepository, type ProjectRow } from '../projects/projects.repository.js';
import { CONFIG, DATABASE, LOG } from '../providers.js';
import { DomainHistoryRepository } from './domain-history.repository.js';
import { DomainsRepository, type DomainChange, type DomainRow } from './domains.repository.js';
import { WorkRepository } from './work.repository.js';

/** What a result means for a domain, and what is kept of it besides. */
export interface Judged {
  readonly trigger: DomainTrigger;
  readonly change?: DomainChange;
}

type Judge = (tx: Tx, domain: DomainRow, now: Date) => Judged | null | Promise<Judged | null>;

/** Projects to lock, as they were before: that of the domain, and that of whoever holds the name it waits for. */
interface Projects {
  readonly own: string;
  readonly holder: string | null;
}

interface Owned {
  readonly project: ProjectRow;
  readonly domain: DomainRow;
}

interface Change extends Judged {
  readonly outcome: Transition;
  /** Whose click it was; null for a fact. */
  readonly apiKeyId: string | null;
  readonly now: Date;
}

/** A domain that was written, with its project as it is now. */
interface Written {
  readonly project: ProjectRow;
  readonly domainId: string;
  readonly isRemoved: boolean;
  readonly changesRoutes: boolean;
}

/** How often a result is judged anew because the holder of its name has changed meanwhile. Then its event is retried. */
const MAX_TRIES = 3;

/**
 * The one writer of domains. Each trigger, a click or a fact from the worker, is one transaction: lock the project, look
 * at the domain as it is now, ask the pure `transition`, and write state, clocks, history and routes together. If the
 * process dies, all of it or nothing has happened; an event is then delivered again, and the fence decides.
 *
 * A name that moves changes the domains of two projects. Both are locked first, in the order of their ids; whose the
 * name is was read before that, so it is read again, and everything starts over if it has changed.
 */
@Injectable()
export class LifecycleService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOG) private readonly log: Logger,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly history: DomainHistoryRepository,
    private readonly work: WorkRepository,
    private readonly routes: RoutePublisher,
  ) {}

  /**
   * Applies the result of a try, if it still counts: its generation must be the domain's, and its attempt newer than
   * the last one applied for that kind of work. `judge` runs inside the transaction; null means that it says nothing.
   */
  async applyResult(kind: WorkKind, attempt: Attempt, judge: Judge): Promise<void> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      if ((await this.tryResult(kind, attempt, judge)) === 'applied') return;
    }
    throw new Error(`the holder of the name of domain ${attempt.domainId} keeps changing`);
  }

  /**
   * Applies an owner's click inside a transaction that already holds the project's lock.
   * @returns the feed version that holds the change of routes, or null when there was none
   */
  async applyClick(
    tx: Tx,
    project: ProjectRow,
    domain: DomainRow,
    { apiKeyId, now, ...judged }: Judged & { readonly apiKeyId: string; readonly now: Date },
  ): Promise<number | null> {
    const outcome = transition(this.factsOf(domain, 0), judged.trigger, now);
    if (outcome === null) return null;
    return this.publish(tx, [await this.write(tx, { project, domain }, { ...judged, outcome, apiKeyId, now })]);
  }

  /**
   * `outrun`: somebody else got, gave up or lost the name between what was read before the locks and what the result
   * would have made of it. Nothing was written; it has to be judged again by how things are now.
   */
  private async tryResult(kind: WorkKind, attempt: Attempt, judge: Judge): Promise<'applied' | 'outrun'> {
    const projects = await this.domains.findProjects(attempt.domainId);
    if (projects === null) {
      this.drop(kind, attempt, 'unknown domain');
      return 'applied';
    }
    try {
      return await this.db.transaction().execute((tx) => this.applyLocked(tx, projects, { kind, attempt, judge }));
    } catch (error) {
      // Of several that verify one name at once, the index lets one through.
      if (violatesUnique(error, 'domains_one_holder')) return 'outrun';
      throw error;
    }
  }

  private async applyLocked(
    tx: Tx,
    projects: Projects,
    { kind, attempt, judge }: { readonly kind: WorkKind; readonly attempt: Attempt; readonly judge: Judge },
  ): Promise<'applied' | 'outrun'> {
    const scene = await this.lockScene(tx, projects, attempt.domainId);
    if (scene === null) return 'outrun';
    const { own, holder } = scene;
    const { domain } = own;
    const clock = await this.work.find(tx, domain.id, kind);
    if (clock === null || attempt.generation !== domain.generation || attempt.attempt <= clock.appliedAttempt) {
      this.drop(kind, attempt, 'stale');
      return 'applied';
    }
    const now = new Date();
    const judged = await judge(tx, domain, now);
    const outcome = judged && transition(this.factsOf(domain, clock.failuresInARow), judged.trigger, now);
    if (judged === null || outcome === null) {
      this.drop(kind, attempt, 'says nothing');
      return 'applied';
    }
    const { [kind]: next, ...others } = outcome.work;
    await this.work.finish(tx, attempt, kind, next);
    // The former holder first: the index has room for one.
    const lost = outcome.takesOver && holder !== null ? await this.lose(tx, holder, now) : [];
    const change = { ...judged, outcome: { ...outcome, work: others }, apiKeyId: null, now };
    await this.publish(tx, [...lost, await this.write(tx, own, change)]);
    return 'applied';
  }

  /** Locks the projects and reads what they are locked for; null when a project that matters now was not among them. */
  private async lockScene(
    tx: Tx,
    { own, holder }: Projects,
    domainId: string,
  ): Promise<{ own: Owned; holder: Owned | null } | null> {
    const locked = await this.projects.lockAll(tx, holder === null ? [own] : [own, holder]);
    const project = locked.get(own);
    if (project === undefined) throw new Error(`project ${own} is gone`);
    const domain = await this.domains.getLocked(tx, domainId);
    const isWaiting = domain.state === 'awaiting_dns' && domain.isClaimedElsewhere;
    const held = isWaiting ? await this.domains.findHolder(tx, domain.name) : null;
    if (held === null) return { own: { project, domain }, holder: null };
    const former = locked.get(held.projectId);
    return former === undefined ? null : { own: { project, domain }, holder: { project: former, domain: held } };
  }

  /** Ends a domain whose name another organization has proven to own. */
  private async lose(tx: Tx, former: Owned, now: Date): Promise<Written[]> {
    const trigger = { type: 'owner.lost' } as const;
    const outcome = transition(this.factsOf(former.domain, 0), trigger, now);
    return outcome === null ? [] : [await this.write(tx, former, { trigger, outcome, apiKeyId: null, now })];
  }

  /** Writes what has become of a domain; the edges are told afterwards, of all domains of a transaction at once. */
  private async write(
    tx: Tx,
    { project, domain }: Owned,
    { trigger, change = {}, outcome, apiKeyId, now }: Change,
  ): Promise<Written> {
    const isNewState = outcome.state !== domain.state;
    await this.domains.update(tx, domain.id, { ...change, ...changeOf(domain, outcome, now) });
    await this.work.schedule(tx, domain.id, outcome.work);
    if (isNewState && outcome.state === 'verified') await this.domains.markClaimVerified(tx, domain, now);
    if (outcome.history !== null) {
      const line = { type: trigger.type, from: domain.state, to: outcome.state, detail: outcome.history };
      await this.history.record(tx, domain, { ...line, apiKeyId, at: now });
    }
    if (Object.values(outcome.work).some(({ dueAt }) => dueAt !== null && dueAt <= now))
      await this.domains.wakeDispatcher(tx);

    const isRemoved = isNewState && outcome.state === 'removed';
    const domainConfig = isRemoved ? withoutDomain(project.domainConfig, domain.name) : project.domainConfig;
    if (domainConfig !== project.domainConfig) await this.projects.setDomainConfig(tx, project.id, domainConfig);
    const changesRoutes = isNewState || trigger.type === 'certificate.issued';
    return { project: { ...project, domainConfig }, domainId: domain.id, isRemoved, changesRoutes };
  }

  /** One version for everything that a transaction did, so that no edge can see half of it. */
  private async publish(tx: Tx, written: readonly Written[]): Promise<number | null> {
    const changed = written.filter(({ changesRoutes }) => changesRoutes);
    if (changed.length === 0) return null;
    const version = await this.routes.publish(tx, ...changed.map(({ project }) => project));
    if (version === null) return null;
    for (const { domainId } of changed.filter(({ isRemoved }) => isRemoved))
      await this.domains.update(tx, domainId, { removedVersion: BigInt(version) });
    return version;
  }

  private factsOf(domain: DomainRow, failuresInARow: number): DomainFacts {
    return {
      ...domain,
      targetHost: targetHostFor(domain.targetToken, this.config.PLATFORM_DOMAIN),
      isDangling: domain.dnsIssues.some(({ code }) => code === 'dangling_record'),
      jitter: jitterOf(domain.id),
      failuresInARow,
    };
  }

  private drop(kind: WorkKind, attempt: Attempt, reason: string): void {
    this.log.info({ kind, ...attempt, reason }, 'result dropped');
  }
}

function changeOf(domain: DomainRow, outcome: Transition, now: Date): DomainChange {
  const isNewState = outcome.state !== domain.state;
  return {
    state: outcome.state,
    misconfigured: outcome.misconfigured,
    ...(outcome.startsGeneration && { generation: domain.generation + 1, generationBeganAt: now }),
    ...(outcome.issues.dns && { dnsIssues: outcome.issues.dns }),
    ...(outcome.issues.certificate && { certificateIssues: outcome.issues.certificate }),
    ...(outcome.conflicts && { conflicts: outcome.conflicts }),
    ...(isNewState && outcome.state === 'verified' && { verifiedAt: now }),
    ...(isNewState && outcome.state === 'live' && { liveAt: now }),
    ...(isNewState && outcome.state === 'removed' && { removedAt: now }),
  };
}
