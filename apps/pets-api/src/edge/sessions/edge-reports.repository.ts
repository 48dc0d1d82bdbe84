import { Inject, Injectable } from '@nestjs/common';
import type { EdgeSessionAck } from '@pets/contracts';
import { notification, notify, recordset, type Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import { ClusterIdentity } from './cluster-identity.js';

/** An acknowledgement with the session that it came in. */
export interface EdgeReport extends Omit<EdgeSessionAck, 'region'> {
  readonly sessionId: string;
  readonly region: string | null;
  /** Whether it registers the edge, and replaces an earlier session of it. */
  readonly isRegistration: boolean;
}

/** Stores what edges report. */
@Injectable()
export class EdgeReportsRepository {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly cluster: ClusterIdentity,
  ) {}

  /**
   * Stores reports of different edges in one statement. A report that is no registration changes only the row of its own
   * session: one that is late must not overwrite the report of a later session, nor bring back an edge that deregistered. A
   * version of another epoch or another database cluster counts as 0: the edge may have received it from elsewhere.
   * @param isAwaited whether somebody waits for one of the versions
   * @returns the edges whose report was stored
   */
  async save(reports: readonly EdgeReport[], isAwaited: boolean): Promise<ReadonlySet<string>> {
    const cluster = await this.cluster.expression();
    const sorted = reports.toSorted((a, b) => (a.edgeId < b.edgeId ? -1 : 1)); // so that two replicas do not deadlock
    const { rows } = await sql<{ id: string | null }>`
      with given as (
        select g.*, f.epoch as current_epoch,
          case when f.epoch::text = g.epoch and coalesce(f.cluster = ${cluster}, true) then g.version else 0 end as acked
        from ${recordset('g', reportColumns, sorted)}, edge_feed f
      ), registered as (
        insert into edges (id, epoch, acked_version, http_address, https_address, last_contact_at, session_id, region)
        select g."edgeId", g.current_epoch, g.acked, g."httpAddress", g."httpsAddress", now(), g."sessionId", g.region
        from given g where g."isRegistration"
        on conflict (id) do update
        set epoch = excluded.epoch, acked_version = excluded.acked_version, http_address = excluded.http_address,
          https_address = excluded.https_address, last_contact_at = excluded.last_contact_at,
          session_id = excluded.session_id, region = excluded.region
        returning id
      ), renewed as (
        update edges e
        set epoch = g.current_epoch, acked_version = g.acked, http_address = g."httpAddress",
          https_address = g."httpsAddress", last_contact_at = now(), region = g.region
        from given g
        where not g."isRegistration" and e.id = g."edgeId" and e.session_id = g."sessionId"
        returning e.id
      ), notified as (
        select ${notification('edge_acks')} where ${isAwaited}
      )
      select id from registered union all select id from renewed
      union all select null from notified`.execute(this.db);
    return new Set(rows.flatMap(({ id }) => id ?? []));
  }

  /** Wakes those who wait for acknowledgements. */
  async notifyWaiting(): Promise<void> {
    await notify(this.db, 'edge_acks');
  }
}

const reportColumns = {
  edgeId: 'text',
  epoch: 'text',
  version: 'bigint',
  httpAddress: 'text',
  httpsAddress: 'text',
  sessionId: 'uuid',
  region: 'text',
  isRegistration: 'boolean',
} as const;
