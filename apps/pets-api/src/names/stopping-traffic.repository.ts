import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../platform/providers.js';

/** A removed domain whose end of traffic is not recorded yet. */
export interface StoppingDomain {
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
