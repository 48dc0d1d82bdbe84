/**
 * The only place that changes the state of a domain after it was added (`add-domain.service.ts`). Each trigger, a request of
 * the owner or a result of the worker, is applied in one transaction: lock the project, read the domain, call the pure
 * `transition`, and write state, schedule, history and routes. Findings of the worker are interpreted under the locks
 * (`result-interpreter.ts`). After a crash the event is delivered again, and `decide` drops
 * results of an outdated attempt. Results that arrive together share a transaction, with as many statements for a hundred
 * results as for one; those whose project is locked leave the batch (`result-batches.ts`).
 * A name that moves changes the domains of two projects. All projects are locked first, in the order of their ids. The holder
 * of the name was read before that, so it is read again, and the result is interpreted again if the holder has changed.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Attempt, DomainState } from '@pets/contracts';
import { transition, type WorkKind } from '@pets/domains';
import { violatesUnique, type Database, type Tx } from '@pets/persistence';
import { currentTraceParent, parseTraceParent, type Logger } from '@pets/platform';
import { DATABASE, LOG } from '../platform/providers.js';
import { ProjectsRepository, type ProjectRow } from '../projects/projects.repository.js';
import type { RouteChange } from '../projects/route-publisher.js';
import type { FinishedAttempt } from '../schedule/work.repository.js';
import type { DomainRow } from '../names/domain-row.js';
import { DomainsRepository } from '../names/domains.repository.js';
import { buildFacts, FactSourcesReader, hasCertificate, type FactSources } from './domain-facts.js';
import { causeOf, DomainWriter, type Change } from './domain-writer.js';
import { ResultBatches, type BusyRows } from './result-batches.js';
import { ResultInterpreter, type AttemptFindings, type Interpretation } from './result-interpreter.js';

/** Interpretation of the owner's request, who sent it, and when; null for a change without a request. */
type OwnerRequest = Interpretation & { readonly apiKeyId: string | null; readonly now: Date };

/** Outcome of applying a result. */
export interface AppliedResult {
  /** Whether it was dropped because its attempt is outdated, or its domain gone. */
  readonly isOutdated: boolean;
  /** Null when it changed nothing. */
  readonly change: {
    readonly from: DomainState;
    readonly to: DomainState;
    readonly addedAt: Date;
    readonly verifiedAt: Date | null;
  } | null;
}

interface ResultOptions {
  /** Whether a person waits for it. */
  readonly isAwaited?: boolean;
  /** The trace of the attempt, if it is not the current one. */
  readonly traceParent?: string | null;
}

/** The result of an attempt. */
interface Result {
  readonly kind: WorkKind;
  readonly attempt: Attempt;
  readonly findings: AttemptFindings;
  /** Set by the batch that applies it. */
  applied: AppliedResult;
  /** A batch has results of many traces. */
  readonly traceParent: string | null;
}

/** The domains of some results and the sources of their facts, read under the locks of their projects. */
interface LockedState {
  readonly projects: ReadonlyMap<string, ProjectRow>;
  readonly domains: ReadonlyMap<string, DomainRow>;
  readonly holders: ReadonlyMap<string, DomainRow>;
  readonly sourcesOf: (domain: DomainRow) => FactSources;
  readonly now: Date;
}

/** The decision on a result, under the locks. */
type Decision =
  | { readonly kind: 'change'; readonly change: Change }
  /** The domain or the holder of its name moved after the projects to lock were chosen, or does in this batch: decide again. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'dropped'; readonly reason: 'stale' | 'no effect' };

/** Results of a batch of which nothing was written. */
interface Unwritten {
  /** The domain moved, or the holder of its name changed, between the first read and the locks. */
  readonly conflicts: readonly Result[];
  /** Another transaction has locked a project. */
  readonly skipped: readonly Result[];
}

/** How often results are interpreted again because the holder of their name has changed. Then the event is retried. */
const MAX_TRIES = 3;

/** Work whose results may make an order due outside the schedule of retries. */
const kindsWithOrders: ReadonlySet<WorkKind> = new Set<WorkKind>(['reverify', 'renewal_info']);

/** A larger batch saves little, and holds the locks for longer. */
const MAX_BATCH = 128;

@Injectable()
export class LifecycleService {
  private readonly results = this.createBatches();
  /** Results that a person waits for do not wait for a batch of others. */
  private readonly awaitedResults = this.createBatches();

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(LOG) private readonly log: Logger,
    private readonly projects: ProjectsRepository,
    private readonly domains: DomainsRepository,
    private readonly sources: FactSourcesReader,
    private readonly interpreter: ResultInterpreter,
    private readonly writer: DomainWriter,
  ) {}

  /**
   * Applies the result of an attempt unless it is outdated: its generation must be the domain's, and its attempt newer than
   * the last one applied for that kind of work. Work that the result schedules continues its trace.
   */
  async applyResult(
    kind: WorkKind,
    { domainId, generation, attempt }: Attempt,
    findings: AttemptFindings,
    { isAwaited = false, traceParent = currentTraceParent() }: ResultOptions = {},
  ): Promise<AppliedResult> {
    const results = isAwaited ? this.awaitedResults : this.results;
    const applied: AppliedResult = { isOutdated: false, change: null };
    const result: Result = { kind, attempt: { domainId, generation, attempt }, findings, applied, traceParent };
    await results.addResult(result);
    return result.applied;
  }

  /**
   * Applies a request of the owner to a domain, in a transaction that holds the lock of the project.
   * @returns the feed version with the changed routes, or null when none changed
   */
  applyOwnerRequest(tx: Tx, project: ProjectRow, domain: DomainRow, request: OwnerRequest): Promise<number | null> {
    return this.applyOwnerRequests(tx, project, [domain], request);
  }

  /** The same for several domains of a project; their routes, and others of locked projects, change in one feed version. */
  async applyOwnerRequests(
    tx: Tx,
    project: ProjectRow,
    domains: readonly DomainRow[],
    { apiKeyId, now, ...interpretation }: OwnerRequest,
    alsoPublished: readonly RouteChange[] = [],
  ): Promise<number | null> {
    const sourcesOf = await this.sources.readSources(tx, domains, new Set(), now);
    const traceParent = currentTraceParent();
    const changes = domains.flatMap((domain): Change[] => {
      const sources = sourcesOf(domain);
      const outcome = transition(buildFacts(domain, sources, null), interpretation.trigger, now);
      if (outcome === null) return [];
      const hadCertificate = hasCertificate(sources);
      return [{ ...interpretation, project, domain, hadCertificate, outcome, apiKeyId, traceParent, now }];
    });
    if (changes.length === 0) return null;
    const version = await this.writer.write(tx, changes, [], alsoPublished);
    for (const change of changes) this.logChange(change);
    return version;
  }

  private createBatches(): ResultBatches<Result> {
    return new ResultBatches({
      maxSize: MAX_BATCH,
      keyOf: ({ attempt }) => attempt.domainId,
      apply: (results, busy) => this.applyResults(results, busy),
    });
  }

  /** @returns the results that were skipped */
  private async applyResults(results: readonly Result[], busy: BusyRows): Promise<readonly Result[]> {
    const skipped: Result[] = [];
    let left = results;
    for (let tries = 1; tries <= MAX_TRIES && left.length > 0; tries++) {
      const outcome = await this.tryResults(left, busy);
      skipped.push(...outcome.skipped);
      left = outcome.conflicts;
    }
    const [first] = left;
    if (first === undefined) return skipped;
    throw new Error(`domain ${first.attempt.domainId} or the holder of its name keeps moving`);
  }

  private async tryResults(results: readonly Result[], busy: BusyRows): Promise<Unwritten> {
    const projects = await this.domains.findProjects(results.map(({ attempt }) => attempt.domainId));
    const isKnown = ({ attempt }: Result) => projects.has(attempt.domainId);
    for (const result of results.filter((result) => !isKnown(result))) this.drop(result, 'unknown domain');
    const known = results.filter(isKnown);
    if (known.length === 0) return { conflicts: [], skipped: [] };
    const projectsOf = ({ attempt }: Result) => projects.get(attempt.domainId) ?? [];
    try {
      return await this.db.transaction().execute(async (tx) => {
        const locked = await this.projects.lockAll(tx, known.flatMap(projectsOf), busy);
        const { ready = [], skipped = [] } = Object.groupBy(known, (result) =>
          projectsOf(result).every((id) => locked.has(id)) ? 'ready' : 'skipped',
        );
        return { conflicts: await this.applyLocked(tx, locked, ready), skipped };
      });
    } catch (error) {
      // When several domains verify one name concurrently, the index accepts one.
      if (results.length === 1 && violatesUnique(error, 'domains_one_holder'))
        return { conflicts: results, skipped: [] };
      throw error;
    }
  }

  private async applyLocked(
    tx: Tx,
    projects: ReadonlyMap<string, ProjectRow>,
    results: readonly Result[],
  ): Promise<readonly Result[]> {
    if (results.length === 0) return [];
    const domains = await this.domains.listLocked(
      tx,
      results.map(({ attempt }) => attempt.domainId),
    );
    const now = new Date();
    const state: LockedState = {
      projects,
      domains,
      holders: await this.domains.findHolders(
        tx,
        [...domains.values()].filter(isHeldByAnother).map(({ name }) => name),
      ),
      sourcesOf: await this.sources.readSources(tx, [...domains.values()], idsWithOrders(results), now),
      now,
    };
    const conflicts: Result[] = [];
    const changes: Change[] = [];
    const finished: FinishedAttempt[] = [];
    for (const result of results) {
      const decision = await this.decide(tx, result, state);
      if (decision.kind === 'conflict') conflicts.push(result);
      if (decision.kind === 'dropped') this.drop(result, decision.reason);
      if (decision.kind !== 'change') continue;
      const { change } = decision;
      result.applied = { isOutdated: false, change: changeOf(change) };
      const { [result.kind]: next, ...others } = change.outcome.work;
      const { checkedAt } = change.change ?? {};
      finished.push({ kind: result.kind, attempt: result.attempt, next, checkedAt, cause: causeOf(change) });
      changes.push(...lossesBy(change, state), { ...change, outcome: { ...change.outcome, work: others } });
    }
    await this.writer.write(tx, changes, finished);
    for (const change of changes) this.logChange(change);
    return conflicts;
  }

  private async decide(tx: Tx, result: Result, state: LockedState): Promise<Decision> {
    const { kind, attempt, findings, traceParent } = result;
    const domain = state.domains.get(attempt.domainId);
    if (domain === undefined) throw new Error(`domain ${attempt.domainId} is gone`);
    const project = state.projects.get(domain.projectId);
    if (project === undefined) return { kind: 'conflict' };
    const holder = state.holders.get(domain.name);
    if (isHeldByAnother(domain) && holder !== undefined && !state.projects.has(holder.projectId))
      return { kind: 'conflict' };

    const sources = state.sourcesOf(domain);
    if (isOutdated(result, domain, sources)) return { kind: 'dropped', reason: 'stale' };
    const interpretation = await this.interpreter.interpret(tx, domain, findings, state.now);
    const outcome = interpretation && transition(buildFacts(domain, sources, kind), interpretation.trigger, state.now);
    if (interpretation === null || outcome === null) return { kind: 'dropped', reason: 'no effect' };
    // The holder is in this batch with a result of its own, which must not undo its loss.
    if (outcome.takesOver && holder !== undefined && state.domains.has(holder.id)) return { kind: 'conflict' };
    const hadCertificate = hasCertificate(sources);
    const change = { ...interpretation, project, domain, hadCertificate, outcome, traceParent, now: state.now };
    return { kind: 'change', change: { ...change, apiKeyId: null } };
  }

  /** Logs a line of the history with its trace, so that the request or attempt that caused it can be found. */
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

  private drop(result: Result, reason: 'unknown domain' | 'stale' | 'no effect'): void {
    const { kind, attempt } = result;
    result.applied = { isOutdated: reason !== 'no effect', change: null };
    this.log.info({ kind, ...attempt, reason }, 'result dropped');
  }
}

function changeOf({
  domain: { state: from, createdAt: addedAt, verifiedAt },
  outcome,
}: Change): AppliedResult['change'] {
  return { from, to: outcome.state, addedAt, verifiedAt };
}

function isHeldByAnother(domain: DomainRow): boolean {
  return domain.state === 'awaiting_dns' && domain.isClaimedElsewhere;
}

/** A result is outdated when the domain has another generation, or an attempt at least as new was applied. */
function isOutdated({ kind, attempt }: Result, domain: DomainRow, { entries }: FactSources): boolean {
  const entry = entries.find((one) => one.kind === kind);
  return entry === undefined || attempt.generation !== domain.generation || attempt.attempt <= entry.appliedAttempt;
}

/** Ends the domain whose name another organization has proven to own. */
function lossesBy({ domain, outcome, traceParent, now }: Change, state: LockedState): Change[] {
  const holder = outcome.takesOver ? state.holders.get(domain.name) : undefined;
  const project = holder && state.projects.get(holder.projectId);
  if (holder === undefined || project === undefined) return [];
  const trigger = { type: 'owner.lost' } as const;
  const sources = state.sourcesOf(holder);
  const lost = transition(buildFacts(holder, sources, null), trigger, now);
  const hadCertificate = hasCertificate(sources);
  return lost === null
    ? []
    : [{ project, domain: holder, hadCertificate, trigger, outcome: lost, apiKeyId: null, traceParent, now }];
}

function idsWithOrders(results: readonly Result[]): ReadonlySet<string> {
  return new Set(results.filter(({ kind }) => kindsWithOrders.has(kind)).map(({ attempt }) => attempt.domainId));
}
