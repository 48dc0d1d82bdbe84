import { Inject, Injectable } from '@nestjs/common';
import type { Attempt, DomainConfig } from '@pets/contracts';
import {
  targetHostFor,
  transition,
  type DomainFacts,
  type DomainTrigger,
  type Transition,
  type WorkKind,
} from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import type { Config } from '../config.js';
import { RoutePublisher } from '../edge-feed/route-publisher.js';
import { ProjectsRepository, type ProjectRow } from '../projects/projects.repository.js';
import { CONFIG, DATABASE, LOG } from '../providers.js';
import { DomainsRepository, type DomainChange, type DomainRow } from './domains.repository.js';
import { WorkRepository } from './work.repository.js';

/** What a result means for a domain, and what is kept of it besides. */
export interface Judged {
  readonly trigger: DomainTrigger;
  readonly change?: DomainChange;
}

/**
 * The one writer of domains. Each trigger, a click or a fact from the worker, is one transaction: lock the project, look
 * at the domain as it is now, ask the pure `transition`, and write state, clocks, history and routes together. If the
 * process dies, all of it or nothing has happened; an event is then delivered again, and the fence decides.
 */
@Injectable()
export class LifecycleService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOG) private readonly log: Logger,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly work: WorkRepository,
    private readonly routes: RoutePublisher,
  ) {}

  /**
   * Applies the result of a try, if it still counts: its generation must be the domain's, and its attempt newer than
   * the last one applied for that kind of work. `judge` runs inside the transaction; null means that it says nothing.
   */
  async applyResult(
    kind: WorkKind,
    attempt: Attempt,
    judge: (tx: Tx, domain: DomainRow, now: Date) => Judged | null | Promise<Judged | null>,
  ): Promise<void> {
    const projectId = await this.domains.findProjectId(attempt.domainId);
    if (projectId === null) return this.drop(kind, attempt, 'unknown domain');
    await this.db.transaction().execute(async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const domain = await this.domains.getLocked(tx, attempt.domainId);
      const clock = await this.work.find(tx, domain.id, kind);
      if (clock === null || attempt.generation !== domain.generation || attempt.attempt <= clock.appliedAttempt) {
        return this.drop(kind, attempt, 'stale');
      }
      const now = new Date();
      const judged = await judge(tx, domain, now);
      const outcome = judged && transition(this.factsOf(domain, clock.failuresInARow), judged.trigger, now);
      if (judged === null || outcome === null) return this.drop(kind, attempt, 'says nothing');
      const { [kind]: own, ...others } = outcome.work;
      await this.work.finish(tx, attempt, kind, own);
      await this.save(tx, project, domain, { ...judged, outcome: { ...outcome, work: others }, now });
    });
  }

  /**
   * Applies an owner's click inside a transaction that already holds the project's lock.
   * @returns the feed version that holds the change of routes, or null when there was none
   */
  async applyClick(tx: Tx, project: ProjectRow, domain: DomainRow, judged: Judged, now: Date): Promise<number | null> {
    const outcome = transition(this.factsOf(domain, 0), judged.trigger, now);
    return outcome === null ? null : this.save(tx, project, domain, { ...judged, outcome, now });
  }

  private async save(
    tx: Tx,
    project: ProjectRow,
    domain: DomainRow,
    { trigger, change = {}, outcome, now }: Judged & { outcome: Transition; now: Date },
  ): Promise<number | null> {
    const isNewState = outcome.state !== domain.state;
    await this.domains.update(tx, domain.id, { ...change, ...changeOf(domain, outcome, now) });
    await this.work.schedule(tx, domain.id, outcome.work);
    if (isNewState && outcome.state === 'verified') await this.domains.markClaimVerified(tx, domain, now);
    if (outcome.history !== null) {
      await this.domains.record(tx, domain, {
        type: trigger.type,
        from: domain.state,
        to: outcome.state,
        detail: outcome.history,
        at: now,
      });
    }
    if (Object.values(outcome.work).some(({ dueAt }) => dueAt !== null && dueAt <= now))
      await this.domains.wakeDispatcher(tx);
    if (!isNewState && trigger.type !== 'certificate.issued') return null;

    const config =
      outcome.state === 'removed' ? withoutDomain(project.domainConfig, domain.name) : project.domainConfig;
    if (config !== project.domainConfig) await this.projects.setDomainConfig(tx, project.id, config);
    const version = await this.routes.publish(tx, { ...project, domainConfig: config });
    if (outcome.state === 'removed' && version !== null)
      await this.domains.update(tx, domain.id, { removedVersion: BigInt(version) });
    return version;
  }

  private factsOf(domain: DomainRow, failuresInARow: number): DomainFacts {
    return { ...domain, targetHost: targetHostFor(domain.targetToken, this.config.PLATFORM_DOMAIN), failuresInARow };
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

/** A removed domain's entries go with it; what pointed to it would lead nowhere. */
function withoutDomain(config: DomainConfig, name: string): DomainConfig {
  const { primary, redirects } = config.domains;
  return {
    domains: {
      ...(primary !== undefined && primary !== name && { primary }),
      redirects: redirects.filter(({ from, to }) => from !== name && to !== name),
    },
  };
}
