import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '@pets/contracts';
import { transition, type DomainTrigger, type WorkKind } from '@pets/domains';
import { Batcher } from '@pets/messaging';
import { violatesUnique, type Database, type Tx } from '@pets/persistence';
import { currentTraceParent, parseTraceParent, type Logger } from '@pets/platform';
import { CertificatesRepository } from '../certificates/certificates.repository.js';
import type { Config } from '../../platform/config.js';
import { ProjectsRepository, type ProjectRow } from '../../projects/projects.repository.js';
import { CONFIG, DATABASE, LOG } from '../../platform/providers.js';
import { AttemptsRepository } from '../attempts.repository.js';
import { factsOf, type DomainContext } from './domain-context.js';
import { DomainWriter, type Change } from './domain-writer.js';
import type { DomainChange, DomainRow } from '../domain-row.js';
import { DomainsRepository } from '../domains.repository.js';
import { WorkRepository, type FinishedTry } from '../dispatch/work.repository.js';

/** What a result means for a domain, and what is kept of it besides. */
export interface Interpretation {
  readonly trigger: DomainTrigger;
  readonly change?: DomainChange;
}

type ResultInterpreter = (
  tx: Tx,
  domain: DomainRow,
  now: Date,
) => Interpretation | null | Promise<Interpretation | null>;

/** The result of a try, and how to tell what it means. */
interface Result {
  readonly kind: WorkKind;
  readonly attempt: Attempt;
  readonly judge: ResultInterpreter;
  /** Kept with it, since a batch belongs to no trace. */
  readonly traceParent: string | null;
}

/** What is known of the domains of some results, under the locks of their projects. */
interface LockedState {
  readonly projects: ReadonlyMap<string, ProjectRow>;
  readonly domains: ReadonlyMap<string, DomainRow>;
  readonly holders: ReadonlyMap<string, DomainRow>;
  readonly circumstances: (domain: DomainRow) => DomainContext;
  readonly now: Date;
}

/** How often results are judged anew because the holder of their name has changed meanwhile. Then the event is retried. */
const MAX_TRIES = 3;

/** Work whose results may make an order due that the schedule of failures does not foresee. */
const askForOrders: ReadonlySet<WorkKind> = new Set<WorkKind>(['reverify', 'renewal_info']);

/** More in one transaction saves little more, and holds the locks for longer. */
const MAX_BATCH = 128;

/**
 * The one writer of domains. Each trigger, a click or a fact from the worker, is part of one transaction: lock the
 * project, look at the domain as it is now, ask the pure `transition`, and write state, clocks, history and routes
 * together. If the process dies, all of it or nothing has happened; an event is then delivered again, and the fence
 * decides. Facts that come together share a transaction, whose statements are as many for a hundred as for one.
 *
 * A name that moves changes the domains of two projects. All projects are locked first, in the order of their ids; whose
 * the name is was read before that, so it is read again, and the result is judged anew if that has changed.
 */
@Injectable()
export class LifecycleService {
  private readonly results = new Batcher<Result>((results) => this.applyResults(results), {
    maxSize: MAX_BATCH,
    keyOf: ({ attempt }) => attempt.domainId,
    retryIndividually: true,
  });

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOG) private readonly log: Logger,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly work: WorkRepository,
    private readonly certificates: CertificatesRepository,
    private readonly attempts: AttemptsRepository,
    private readonly writer: DomainWriter,
  ) {}

  /**
   * Applies the result of a try, if it still counts: its generation must be the domain's, and its attempt newer than
   * the last one applied for that kind of work. `judge` runs inside the transaction; null means that it says nothing.
   * What follows from the result goes on with the trace that it came with.
   */
  applyResult(
    kind: WorkKind,
    attempt: Attempt,
    judge: ResultInterpreter,
    traceParent = currentTraceParent(),
  ): Promise<void> {
    return this.results.add({ kind, attempt, judge, traceParent });
  }

  /**
   * Applies an owner's click inside a transaction that already holds the project's lock.
   * @returns the feed version that holds the change of routes, or null when there was none
   */
  async applyClick(
    tx: Tx,
    project: ProjectRow,
    domain: DomainRow,
    { apiKeyId, now, ...judged }: Interpretation & { readonly apiKeyId: string; readonly now: Date },
  ): Promise<number | null> {
    const circumstances = await this.gather(tx, [domain], [], now);
    const known = circumstances(domain);
    const outcome = transition(factsOf(domain, known, null), judged.trigger, now);
    if (outcome === null) return null;
    const hadCertificate = known.certificate !== null;
    const traceParent = currentTraceParent();
    const change = { ...judged, project, domain, hadCertificate, outcome, apiKeyId, traceParent, now };
    const version = await this.writer.write(tx, [change]);
    this.logChange(change);
    return version;
  }

  private async applyResults(results: readonly Result[]): Promise<void> {
    let left = results;
    for (let tries = 1; tries <= MAX_TRIES && left.length > 0; tries++) left = await this.tryResults(left);
    const [first] = left;
    if (first !== undefined)
      throw new Error(`the holder of the name of domain ${first.attempt.domainId} keeps changing`);
  }

  /**
   * @returns those that were outrun: somebody else got, gave up or lost the name between what was read before the locks
   * and what the result would have made of it. Nothing of them was written; they have to be judged by how things are now
   */
  private async tryResults(results: readonly Result[]): Promise<readonly Result[]> {
    const projects = await this.domains.findProjects(results.map(({ attempt }) => attempt.domainId));
    const isKnown = ({ attempt }: Result) => projects.has(attempt.domainId);
    for (const result of results.filter((result) => !isKnown(result))) this.drop(result, 'unknown domain');
    const known = results.filter(isKnown);
    if (known.length === 0) return [];
    const projectIds = [...projects.values()].flatMap(({ own, holder }) => (holder === null ? [own] : [own, holder]));
    try {
      return await this.db.transaction().execute((tx) => this.applyLocked(tx, projectIds, known));
    } catch (error) {
      // Of several that verify one name at once, the index lets one through.
      if (results.length === 1 && violatesUnique(error, 'domains_one_holder')) return results;
      throw error;
    }
  }

  private async applyLocked(
    tx: Tx,
    projectIds: readonly string[],
    results: readonly Result[],
  ): Promise<readonly Result[]> {
    const projects = await this.projects.lockAll(tx, projectIds);
    const domains = await this.domains.listLocked(
      tx,
      results.map(({ attempt }) => attempt.domainId),
    );
    const now = new Date();
    const known: LockedState = {
      projects,
      domains,
      holders: await this.domains.findHolders(
        tx,
        [...domains.values()].filter(isHeldByAnother).map(({ name }) => name),
      ),
      circumstances: await this.gather(tx, [...domains.values()], results, now),
      now,
    };
    const outrun: Result[] = [];
    const changes: Change[] = [];
    const finished: FinishedTry[] = [];
    for (const result of results) {
      const decided = await this.decide(tx, result, known);
      if (decided === 'outrun') outrun.push(result);
      if (decided === 'dropped' || decided === 'outrun') continue;
      const { [result.kind]: next, ...others } = decided.outcome.work;
      finished.push({ kind: result.kind, attempt: result.attempt, next });
      changes.push(...this.lossesBy(decided, known), { ...decided, outcome: { ...decided.outcome, work: others } });
    }
    await this.work.finishAll(tx, finished);
    await this.writer.write(tx, changes);
    for (const change of changes) this.logChange(change);
    return outrun;
  }

  private async decide(tx: Tx, result: Result, known: LockedState): Promise<Change | 'dropped' | 'outrun'> {
    const { kind, attempt, judge, traceParent } = result;
    const domain = known.domains.get(attempt.domainId);
    const project = domain && known.projects.get(domain.projectId);
    if (domain === undefined || project === undefined) throw new Error(`domain ${attempt.domainId} is gone`);
    const holder = known.holders.get(domain.name);
    if (isHeldByAnother(domain) && holder !== undefined && !known.projects.has(holder.projectId)) return 'outrun';

    const circumstances = known.circumstances(domain);
    const clock = circumstances.clocks.find((one) => one.kind === kind);
    if (clock === undefined || attempt.generation !== domain.generation || attempt.attempt <= clock.appliedAttempt) {
      this.drop(result, 'stale');
      return 'dropped';
    }
    const judged = await judge(tx, domain, known.now);
    const outcome = judged && transition(factsOf(domain, circumstances, kind), judged.trigger, known.now);
    if (judged === null || outcome === null) {
      this.drop(result, 'says nothing');
      return 'dropped';
    }
    // The holder is in this batch with a result of its own, which must not undo its loss.
    if (outcome.takesOver && holder !== undefined && known.domains.has(holder.id)) return 'outrun';
    const hadCertificate = circumstances.certificate !== null;
    return { ...judged, project, domain, hadCertificate, outcome, apiKeyId: null, traceParent, now: known.now };
  }

  /** Ends the domain whose name another organization has proven to own. */
  private lossesBy({ domain, outcome, traceParent, now }: Change, known: LockedState): Change[] {
    const holder = outcome.takesOver ? known.holders.get(domain.name) : undefined;
    const project = holder && known.projects.get(holder.projectId);
    if (holder === undefined || project === undefined) return [];
    const trigger = { type: 'owner.lost' } as const;
    const circumstances = known.circumstances(holder);
    const lost = transition(factsOf(holder, circumstances, null), trigger, now);
    const hadCertificate = circumstances.certificate !== null;
    return lost === null
      ? []
      : [{ project, domain: holder, hadCertificate, trigger, outcome: lost, apiKeyId: null, traceParent, now }];
  }

  /** What transitions depend on besides the rows. The orders of a day are read where they may matter, which is seldom. */
  private async gather(
    tx: Tx,
    domains: readonly DomainRow[],
    results: readonly Result[],
    now: Date,
  ): Promise<(domain: DomainRow) => DomainContext> {
    const ids = domains.map(({ id }) => id);
    const asking = new Set(results.filter(({ kind }) => askForOrders.has(kind)).map(({ attempt }) => attempt.domainId));
    const clocks = await this.work.listOf(ids, tx);
    const certificates = await this.certificates.findNewest(ids, tx);
    const orders = await this.attempts.findOrders(
      domains.filter(({ id, certificateIssues }) => asking.has(id) || certificateIssues.length > 0).map(({ id }) => id),
      now,
      tx,
    );
    const { PLATFORM_DOMAIN: platformDomain, REVERIFY_AFTER: reverifyAfterSeconds } = this.config;
    return ({ id }) => ({
      clocks: clocks.get(id) ?? [],
      certificate: certificates.get(id) ?? null,
      ordersAt: orders.get(id) ?? [],
      ...{ platformDomain, reverifyAfterSeconds, now },
    });
  }

  /** A line for what is in the history as well, so that the log tells which request or attempt it came of. */
  private logChange({ domain, trigger, outcome, traceParent }: Change): void {
    if (outcome.history === null) return;
    const { id: domainId, generation, state: from } = domain;
    const trace = parseTraceParent(traceParent);
    const traced = trace === null ? {} : { traceId: trace.traceId };
    this.log.info(
      { domainId, generation, trigger: trigger.type, from, to: outcome.state, ...traced },
      'domain changed',
    );
  }

  private drop({ kind, attempt }: Result, reason: string): void {
    this.log.info({ kind, ...attempt, reason }, 'result dropped');
  }
}

function isHeldByAnother(domain: DomainRow): boolean {
  return domain.state === 'awaiting_dns' && domain.isClaimedElsewhere;
}
