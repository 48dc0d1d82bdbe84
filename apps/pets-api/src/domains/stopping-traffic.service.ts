/**
 * Records in the history when the last edge has stopped serving a domain whose removal was answered with 202
 * (`traffic.stopped`). A removal that is answered with 204 needs no such line.
 *
 * The rows of the domains say which are stopping, so a restart loses none. Acknowledgements of edges wake the check; it also
 * polls, since an edge without contact stops counting after some time. Several processes may check at the same time: the
 * first to mark a domain writes its line.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DomainHistoryRepository } from '../names/domain-history.repository.js';
import { EdgeAcknowledgements } from '../names/edge-ports.js';
import { BackgroundTasks } from '../platform/background-tasks.js';
import { DATABASE } from '../platform/providers.js';
import { ProjectsRepository } from '../projects/projects.repository.js';

/** A removed domain whose end of traffic is not recorded yet. */
interface StoppingDomain {
  readonly id: string;
  readonly projectId: string;
}

@Injectable()
export class StoppingTrafficRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /**
   * Domains removed up to a feed version, oldest first.
   * @param minAgeSeconds the request that removes a younger one waits for the edges and records it
   */
  async list(upToVersion: bigint, minAgeSeconds: number, limit: number): Promise<StoppingDomain[]> {
    return this.db
      .selectFrom('domains')
      .select(['id', 'project_id as projectId'])
      .where('removed_version', 'is not', null)
      .where('traffic_stopped_at', 'is', null)
      .where('removed_version', '<=', upToVersion)
      .where(sql<boolean>`removed_at < now() - make_interval(secs => ${minAgeSeconds})`)
      .orderBy('removed_version')
      .limit(limit)
      .execute();
  }

  /** Records that traffic has stopped. @returns the domains for which it was not recorded before */
  async mark(tx: Database | Tx, ids: readonly string[], at: Date): Promise<StoppingDomain[]> {
    if (ids.length === 0) return [];
    return tx
      .updateTable('domains')
      .set({ traffic_stopped_at: at })
      .where('id', 'in', ids)
      .where('traffic_stopped_at', 'is', null)
      .returning(['id', 'project_id as projectId'])
      .execute();
  }
}

const POLL_MS = 2_000;

/** Edges acknowledge a version at about the same time. */
const PAUSE_MS = 250;

/** Longer than a removal waits before it answers. */
const MIN_AGE_SECONDS = 2;

const BATCH = 100;

@Injectable()
export class StoppingTraffic implements OnModuleInit {
  constructor(
    private readonly stopping: StoppingTrafficRepository,
    private readonly acks: EdgeAcknowledgements,
    private readonly projects: ProjectsRepository,
    private readonly history: DomainHistoryRepository,
    @Inject(DATABASE) private readonly db: Database,
    private readonly tasks: BackgroundTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.poll({
      channel: 'edge_acks',
      pollMs: POLL_MS,
      pauseMs: PAUSE_MS,
      failure: 'end of traffic not recorded; trying again',
      round: (signal) => this.round(signal),
    });
  }

  /** Waits until no edge serves a route that a version ended, or the time is over. @returns whether all have stopped */
  async waitUntilStopped(version: number, limitMs: number): Promise<boolean> {
    return (await this.acks.waitUntilStopped(version, limitMs)) === 0;
  }

  /** The version that ended only routes which no edge serves any more. */
  appliedEverywhere(): Promise<bigint> {
    return this.acks.appliedEverywhere();
  }

  /** Marks removals whose response says that traffic has stopped. */
  async markAnswered(domainIds: readonly string[]): Promise<void> {
    await this.stopping.mark(this.db, domainIds, new Date());
  }

  private async round(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.recordSome()) === BATCH);
  }

  private async recordSome(): Promise<number> {
    const version = await this.acks.appliedEverywhere();
    const stopped = await this.stopping.list(version, MIN_AGE_SECONDS, BATCH);
    if (stopped.length === 0) return 0;
    await this.db.transaction().execute(async (tx) => {
      await this.projects.lockAll(tx, [...new Set(stopped.map(({ projectId }) => projectId))]);
      const at = new Date();
      const marked = await this.stopping.mark(
        tx,
        stopped.map(({ id }) => id),
        at,
      );
      const detail = 'The last edge has stopped serving the domain.';
      const line = { type: 'traffic.stopped', from: 'removed', to: 'removed', detail, apiKeyId: null, at } as const;
      await this.history.recordAll(
        tx,
        marked.map((domain) => ({ domain, line })),
      );
    });
    return stopped.length;
  }
}
