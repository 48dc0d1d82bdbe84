import { Inject, Injectable } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { sql } from 'kysely';
import { EdgeProbes } from '../names/edge-ports.js';
import { DATABASE, LOG } from '../platform/providers.js';
import { REACHABLE_SECONDS, seenWithin } from './edge-feed.repository.js';

@Injectable()
export class EdgeProbesRepository implements EdgeProbes {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  async listCandidates(version: number): ReturnType<EdgeProbes['listCandidates']> {
    return this.db
      .selectFrom('edges')
      .select([
        'id as edgeId',
        'https_address as address',
        'region',
        sql<boolean>`acked_version >= ${version}`.as('isUpToDate'),
        'probe_failures as failures',
      ])
      .where(seenWithin(REACHABLE_SECONDS))
      .orderBy('id')
      .execute();
  }

  /**
   * Records failures if an edge passed. If none did, the fault may be anywhere: in the certificate, in the worker's
   * network.
   */
  async record({ domainId, results }: DomainEvents['edges.probed']): Promise<void> {
    const passed = results.filter(({ error }) => error === null).map(({ edgeId }) => edgeId);
    const failed = results.filter(({ error }) => error !== null);
    if (passed.length === 0) return;
    const failedIds = failed.map(({ edgeId }) => edgeId);
    for (const { edgeId, error } of failed)
      this.log.warn({ edgeId, domainId, error }, 'an edge failed a probe that others passed');
    // In the order of ids, so that two statements never wait for each other.
    await sql`
      with locked as (
        select id from edges where id = any(${failedIds}) or (id = any(${passed}) and probe_failures > 0)
        order by id for update
      )
      update edges e set probe_failures = case when e.id = any(${failedIds}) then e.probe_failures + 1 else 0 end
      from locked where e.id = locked.id`.execute(this.db);
  }
}
