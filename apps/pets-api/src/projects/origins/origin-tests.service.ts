import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { exponentialDelayMs, forEachConcurrent, retry } from '@pets/async';
import type { OriginTest } from '@pets/contracts';
import type { Logger } from '@pets/platform';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, LOG } from '../../platform/providers.js';
import { ProjectsRepository, ProjectTransactions } from '../projects.repository.js';
import { RoutePublisher } from '../route-publisher.js';
import { OriginOccurrences } from './origin-occurrences.js';
import { OriginReports } from './origin-reports.js';
import { changeOfHosts, changeOfRow, hasPassed } from './origin-row.js';
import { OriginsRepository } from './origins.repository.js';

/** Results of a report that are written at a time. */
const CONCURRENT_RESULTS = 2;
/** How often one is tried. A result that is lost leaves the test open: the owner begins another one. */
const ATTEMPTS = 5;
const PAUSES = { firstMs: 100, maxMs: 2_000 };

/** An edge answers within ten seconds. One that has just come knows no test that was asked for before. */
const UNANSWERED_MS = 60_000;
/** From the start of a test; after that, its owner begins another one. */
const GIVEN_UP_MS = 60 * 60_000;
/** Tests that are repeated at a time. */
const REPEATED = 100;

/** Applies what edges found when they tested origins. The first result of a test counts, until one that has passed. */
@Injectable()
export class OriginTests implements OnModuleInit {
  constructor(
    private readonly reports: OriginReports,
    private readonly origins: OriginsRepository,
    private readonly projects: ProjectsRepository,
    private readonly transactions: ProjectTransactions,
    private readonly routes: RoutePublisher,
    private readonly occurrences: OriginOccurrences,
    private readonly tasks: BackgroundTasks,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Pick<Logger, 'warn'>,
  ) {}

  onModuleInit(): void {
    this.reports.onTested((tests) => void forEachConcurrent(tests, CONCURRENT_RESULTS, (test) => this.store(test)));
    const failure = 'tests of origins not repeated';
    this.tasks.repeat({ everyMs: UNANSWERED_MS, failure, run: () => this.repeatUnanswered() });
  }

  /** Asks the edges again: there was none, or its report was lost. @returns how many */
  async repeatUnanswered(): Promise<number> {
    const now = this.clock();
    const sentBefore = new Date(now.getTime() - UNANSWERED_MS);
    const startedAfter = new Date(now.getTime() - GIVEN_UP_MS);
    const unanswered = await this.origins.listUnanswered(sentBefore, startedAfter, REPEATED);
    for (const { id, projectId } of unanswered)
      await this.transactions.run([projectId], async (tx) => {
        const project = await this.projects.lock(tx, projectId);
        const origin = await this.origins.findById(id, tx);
        // Another replica was first, it was answered, or it has moved with its domain.
        if (origin === null || origin.testResult !== null || origin.testSentAt >= sentBefore) return;
        if (origin.projectId !== projectId) return;
        await this.origins.repeatTest(tx, id, now);
        await this.routes.publish(tx, [changeOfRow(project, origin)]);
      });
    return unanswered.length;
  }

  private async store(test: OriginTest): Promise<void> {
    const nextDelayMs = (failures: number) => (failures < ATTEMPTS ? exponentialDelayMs(PAUSES, failures) : null);
    try {
      await retry(() => this.apply(test), { nextDelayMs });
    } catch (error) {
      this.log.warn({ err: error, origin: test.origin }, 'result of a test of an origin not stored');
    }
  }

  private async apply({ origin: id, test, ...found }: OriginTest): Promise<void> {
    const tested = await this.origins.findById(id);
    if (tested === null) return;
    const { projectId } = tested;
    await this.transactions.run([projectId], async (tx) => {
      const project = await this.projects.lock(tx, projectId);
      const origin = await this.origins.findById(id, tx);
      if (origin?.test !== test) return;
      if (origin.projectId !== projectId) throw new Error('the origin moves to another project');
      const isDecided = origin.testResult !== null && (hasPassed(origin.testResult) || !hasPassed(found));
      if (isDecided) return;
      const now = this.clock();
      const begins = origin.servedSince === null && hasPassed(found);
      const result = { ...found, finishedAt: now.toISOString() };
      const servedSince = begins ? now : origin.servedSince;
      await this.origins.setResult(tx, id, result, servedSince);
      await this.occurrences.publish(tx, 'origin.tested', { ...origin, testResult: result, servedSince }, now);
      if (begins) await this.routes.publish(tx, [changeOfHosts(project, origin)]);
    });
  }
}
