import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { exponentialDelayMs, forEachConcurrent, retry } from '@pets/async';
import { MAX_WATCHED_ORIGINS, type OriginOpinion } from '@pets/contracts';
import { evaluateHealth } from '@pets/domains';
import type { Logger } from '@pets/platform';
import { AuditLog } from '../../access/audit/audit-log.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { CLOCK, LOG } from '../../platform/providers.js';
import { ProjectsRepository, ProjectTransactions } from '../projects.repository.js';
import { OriginHealthRepository, type WatchedOrigin } from './origin-health.repository.js';
import { OriginOccurrences } from './origin-occurrences.js';
import { OriginReports } from './origin-reports.js';
import { OriginsRepository } from './origins.repository.js';

/** How often votes are counted: a state is decided so much after its 30 s at most. */
const EVERY_MS = 5_000;
/** Origins that are evaluated at a time; the others follow in the next rounds. */
const PAGE = 1_000;
/** Changes that are written at a time. */
const CONCURRENT = 2;
/** How often a report is tried. The edge repeats it after a minute. */
const ATTEMPTS = 4;
const PAUSES = { firstMs: 100, maxMs: 1_000 };

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Decides from the reports of edges whether origins fail.
 *
 * An edge reports that it cannot connect to an origin; the origin is watched from then on, and every edge is asked about it with its
 * next contact, so that edges without visitors of it have an opinion too. Every few seconds each replica counts the votes
 * (`evaluateHealth` decides) and writes what has changed, under the lock of the project: state and event commit together, and a
 * replica that comes second finds that it was done. The watch ends when no edge says any more that it fails.
 */
@Injectable()
export class OriginHealthService implements OnModuleInit {
  /** The last origin of the page before. */
  private after = FIRST_ID;

  constructor(
    private readonly reports: OriginReports,
    private readonly health: OriginHealthRepository,
    private readonly origins: OriginsRepository,
    private readonly occurrences: OriginOccurrences,
    private readonly projects: ProjectsRepository,
    private readonly transactions: ProjectTransactions,
    private readonly audit: AuditLog,
    private readonly tasks: BackgroundTasks,
    private readonly metrics: ApiMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  onModuleInit(): void {
    this.reports.onOpinions((edgeId, opinions) => void this.store(edgeId, opinions));
    this.tasks.repeat({ everyMs: EVERY_MS, failure: 'health of origins not evaluated', run: () => this.evaluate() });
  }

  /** Counts the votes of a page of watched origins, and asks the edges. */
  async evaluate(): Promise<void> {
    this.reports.ask(await this.health.listWatched(MAX_WATCHED_ORIGINS));
    const page = await this.health.listVotes(this.after, PAGE);
    this.after = page.length < PAGE ? FIRST_ID : (page.at(-1)?.originId ?? FIRST_ID);
    const now = this.clock();
    const changed = page.filter((origin) => decide(origin, now).isChanged);
    await forEachConcurrent(changed, CONCURRENT, (origin) => this.applyOrLog(origin));
  }

  /** One that cannot be written must not hold up the others. */
  private async applyOrLog(origin: WatchedOrigin): Promise<void> {
    try {
      await this.apply(origin);
    } catch (error) {
      this.log.warn({ err: error, origin: origin.originId }, 'health of an origin not written; trying again');
    }
  }

  private async apply({ originId, projectId }: WatchedOrigin): Promise<void> {
    await this.transactions.run([projectId], async (tx) => {
      await this.projects.lock(tx, projectId);
      const origin = await this.origins.findById(originId, tx);
      const watched = await this.health.lockVotes(tx, originId);
      // Removed, no longer watched, or in another project since.
      if (origin?.projectId !== projectId || watched === null) return;
      const now = this.clock();
      const { outcome, health, isChanged } = decide(watched, now);
      if (!isChanged) return; // another replica was first
      await this.health.save(tx, originId, { health, isWatched: outcome.isWatched });
      if (outcome.event === null) return;
      await this.occurrences.publish(tx, outcome.event, origin, now);
      const { organizationId, domainName, url } = origin;
      const detail = {
        projectId,
        ...(domainName !== null && { name: domainName }),
        url,
        ...(health.failure !== null && { failure: health.failure.code }),
      };
      const subject = { kind: 'origin', id: originId } as const;
      await this.audit.record(tx, { organizationId, type: outcome.event, subject, detail });
    });
  }

  private async store(edgeId: string, opinions: readonly OriginOpinion[]): Promise<void> {
    for (const { failure } of opinions) this.metrics.originReported(failure === null ? 'reachable' : 'failing');
    const nextDelayMs = (failures: number) => (failures < ATTEMPTS ? exponentialDelayMs(PAUSES, failures) : null);
    try {
      await retry(() => this.health.storeOpinions(edgeId, opinions), { nextDelayMs });
    } catch (error) {
      this.log.warn({ err: error, edgeId, opinions: opinions.length }, 'opinions about origins not stored');
    }
  }
}

function decide({ health: before, votes, failure }: WatchedOrigin, now: Date) {
  const { failure: reason, ...decided } = before;
  const outcome = evaluateHealth(decided, votes, now);
  const health = { ...outcome.health, failure: outcome.health.state === 'failing' ? (failure ?? reason) : null };
  const hasOtherReason = health.failure?.code !== reason?.code;
  const isChanged = hasOtherReason || !outcome.isWatched || !isDeepStrictEqual(outcome.health, decided);
  return { outcome, health, isChanged };
}
